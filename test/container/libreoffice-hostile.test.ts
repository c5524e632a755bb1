import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../container/process.ts";
import { docx, field, flatOpenDocument, linkedPicture, paragraph, xlsx } from "../fixtures/office.ts";
import { convert, documents, openOffices, picturesIn, save, scratch, soffice, zygote } from "../support/offices.ts";

openOffices();

describe("a hostile document", () => {
  let server: Server;
  let port: number;
  let connections = 0;
  let canary: string;
  const secret = "CANARY-7f3a";
  // LibreOffice draws icons of its own, larger ones, where something is missing.
  const canarySize = "4 x 4";

  beforeAll(async () => {
    server = createServer((socket) => {
      connections++;
      socket.on("error", () => {});
      socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as { port: number }).port;
    canary = await save(`<html><body><p>${secret}</p></body></html>`, "html");
    await writeFile(join(documents, "canary.txt"), secret);
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEElEQVR42mP4z8AARwzEcQCukw/xwOlHOAAAAABJRU5ErkJggg==";
    await writeFile(join(documents, "canary.png"), Buffer.from(png, "base64"));
  });
  afterAll(() => server.close());

  const web = (name: string) => `http://127.0.0.1:${port}/${name}`;
  const local = (name: string) => `file://${documents}/${name}`;
  const withPictures = () =>
    docx({
      body: paragraph("before") + linkedPicture("web") + linkedPicture("local"),
      links: [
        ["web", "image", web("picture.png")],
        ["local", "image", local("canary.png")],
      ],
    });

  test("does what it tries under a LibreOffice as it comes", async () => {
    await using folder = await scratch.folder();
    await writeFile(join(folder.path, "in.docx"), withPictures());
    const profile = `-env:UserInstallation=file://${folder.path}/profile`;
    const args = [profile, "--headless", "--convert-to", "pdf", "--outdir", folder.path, join(folder.path, "in.docx")];
    const before = connections;
    await run("soffice", args, { cwd: folder.path, limits: { timeoutMs: 60_000 }, network: true });
    expect(connections).toBeGreaterThan(before);
    expect(picturesIn(join(folder.path, "in.pdf"))).toEqual([canarySize]);
  });

  const attempts: [what: string, extension: string, content: () => Buffer | string][] = [
    ["linked pictures", "docx", withPictures],
    [
      "pictures and styles of HTML",
      "doc",
      () =>
        `<html><head><link rel="stylesheet" href="${web("style.css")}"></head><body><p>before</p><img src="${web("a.png")}"><img src="${local("canary.png")}"><iframe src="${local("canary.txt")}"></iframe><object data="${canary}"></object></body></html>`,
    ],
    [
      "fields",
      "docx",
      () =>
        docx({
          body:
            paragraph("before") +
            field(`INCLUDETEXT "${local("canary.txt")}"`) +
            field(`INCLUDETEXT "${web("text")}"`) +
            field(`INCLUDEPICTURE "${web("field.png")}"`) +
            field(`INCLUDEPICTURE "${local("canary.png")}"`) +
            field(`LINK Word.Document.12 "${canary}" "" \\a`) +
            field(`DDEAUTO c:\\\\windows\\\\system32\\\\cmd.exe "/k touch ${join(documents, "ran")}"`),
        }),
    ],
    [
      "a template from elsewhere",
      "docx",
      () =>
        docx({
          body: paragraph("before"),
          settings: '<w:attachedTemplate r:id="template"/>',
          settingsLinks: [["template", "attachedTemplate", web("template.dotm")]],
        }),
    ],
    [
      "functions of a sheet",
      "xlsx",
      () =>
        xlsx(
          `<row r="1"><c r="A1" t="str"><v>before</v></c><c r="B1"><f>_xlfn.WEBSERVICE("${web("function")}")</f></c><c r="C1"><f>_xlfn.WEBSERVICE("${local("canary.txt")}")</f></c><c r="D1"><f>DDE("soffice","${local("canary.txt")}","A1")</f></c><c r="E1"><f>'${local("canary.html")}'#$Sheet1.A1</f></c></row>`,
        ),
    ],
    [
      "sections and pictures of OpenDocument",
      "odt",
      () =>
        flatOpenDocument(
          "text",
          `<office:body><office:text><text:p>before</text:p><text:section text:name="a"><text:section-source xlink:href="${local("canary.txt")}" xlink:type="simple"/><text:p>as saved</text:p></text:section><text:section text:name="b"><text:section-source xlink:href="${web("section")}" xlink:type="simple"/><text:p>as saved</text:p></text:section><text:p><draw:frame svg:width="2cm" svg:height="2cm" text:anchor-type="as-char"><draw:image xlink:href="${local("canary.png")}" xlink:type="simple"/></draw:frame><draw:frame svg:width="2cm" svg:height="2cm" text:anchor-type="as-char"><draw:image xlink:href="${web("odf.png")}" xlink:type="simple"/></draw:frame><draw:frame svg:width="2cm" svg:height="2cm" text:anchor-type="as-char"><draw:object xlink:href="${local("canary.txt")}" xlink:type="simple"/></draw:frame></text:p></office:text></office:body>`,
        ),
    ],
    [
      "a macro that runs when the document opens",
      "odt",
      () =>
        flatOpenDocument(
          "text",
          `<office:scripts><office:script script:language="ooo:Basic"><ooo:libraries xmlns:ooo="http://openoffice.org/2004/office"><ooo:library-embedded ooo:name="Standard"><ooo:module ooo:name="M"><ooo:source-code>Sub Main
Open "${join(documents, "ran")}" For Output As #1
Close #1
End Sub</ooo:source-code></ooo:module></ooo:library-embedded></ooo:libraries></office:script><office:event-listeners><script:event-listener script:language="ooo:script" script:event-name="dom:load" xlink:href="vnd.sun.star.script:Standard.M.Main?language=Basic&amp;location=document" xlink:type="simple"/></office:event-listeners></office:scripts><office:body><office:text><text:p>before</text:p></office:text></office:body>`,
        ),
    ],
  ];

  describe.each(["zygote", "soffice"])("by %s", (mode) => {
    test.each(attempts)("gets nothing by %s", async (_, extension, content) => {
      const before = connections;
      const converted = await convert(mode === "zygote" ? zygote : soffice, await save(content(), extension));
      // A connection that was made is accepted by now, or soon.
      await sleep(100);
      expect(connections).toBe(before);
      expect(converted.text).toContain("before");
      expect(converted.text).not.toContain(secret);
      expect(converted.bytes.includes(secret)).toBe(false);
      expect(converted.pictures).not.toContain(canarySize);
      expect(existsSync(join(documents, "ran"))).toBe(false);
    });
  });
});

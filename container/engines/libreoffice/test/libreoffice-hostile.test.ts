// Tests that hostile documents access no files and no network, and that documents that grow when opened fail with a
// clear reason.
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  docx,
  field,
  flatOpenDocument,
  linkedPicture,
  paragraph,
  picture,
  xlsx,
} from "../../../../test/fixtures/office.ts";
import {
  canaryPage,
  canarySize,
  connectionsSoFar,
  convertWithoutTrace,
  host,
  local,
  openCanaries,
  ran,
  web,
} from "../../../../test/support/canaries.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import {
  attempt,
  convert,
  documents,
  failsWith,
  openOffices,
  picturesIn,
  save,
  scratch,
  soffice,
  zygote,
} from "../../../../test/support/libreoffice.ts";
import { run } from "../../../processes/process.ts";
import { SOFFICE } from "../profile.ts";

openOffices();
openCanaries();

describe("a hostile document", () => {
  const entities = () =>
    `<!DOCTYPE a [<!ENTITY local SYSTEM "${local("canary.txt")}"><!ENTITY web SYSTEM "${web("entity")}"><!ENTITY % dtd SYSTEM "${web("dtd")}"> %dtd;]>`;
  // By default, LibreOffice runs Ghostscript to convert this EPS image.
  const postscript = () =>
    "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 200 200\n1 0 0 setrgbcolor 50 50 100 100 rectfill\nshowpage\n%%EOF\n";
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
    const before = connectionsSoFar();
    await run(SOFFICE, args, { cwd: folder.path, limits: { timeoutMs: 60_000 }, network: true });
    expect(connectionsSoFar()).toBeGreaterThan(before);
    expect(picturesIn(join(folder.path, "in.pdf"))).toEqual([canarySize]);
  });

  const attempts: [what: string, extension: string, content: () => Buffer | string][] = [
    ["linked pictures", "docx", withPictures],
    [
      "pictures and styles of HTML",
      "doc",
      () =>
        `<html><head><link rel="stylesheet" href="${web("style.css")}"></head><body><p>before</p><img src="${web("a.png")}"><img src="${local("canary.png")}"><iframe src="${local("canary.txt")}"></iframe><object data="${canaryPage}"></object></body></html>`,
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
            field(`LINK Word.Document.12 "${canaryPage}" "" \\a`) +
            field(`DDEAUTO c:\\\\windows\\\\system32\\\\cmd.exe "/k touch ${ran()}"`),
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
      "entities of XML",
      "docx",
      () =>
        docx({
          doctype: entities(),
          body: paragraph("before") + paragraph("&local; &web;"),
        }),
    ],
    [
      "entities of OpenDocument",
      "odt",
      () =>
        flatOpenDocument(
          "text",
          "<office:body><office:text><text:p>before</text:p><text:p>&local; &web;</text:p></office:text></office:body>",
          entities(),
        ),
    ],
    [
      "an SVG picture",
      "docx",
      () =>
        docx({
          body: paragraph("before") + picture("a.svg"),
          media: {
            "a.svg": `<?xml version="1.0"?>${entities()}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="90" height="90"><style>@import url("${web("svg.css")}");</style><text y="20">&local;&web;</text><image width="40" height="40" xlink:href="${local("canary.png")}"/><image width="40" height="40" xlink:href="${web("svg.png")}"/><use xlink:href="${web("svg.svg")}#a"/><script xlink:href="${web("svg.js")}"/></svg>`,
          },
        }),
    ],
    [
      "an EPS picture, which is a program",
      "docx",
      () => docx({ body: paragraph("before") + picture("a.eps"), media: { "a.eps": postscript() } }),
    ],
    [
      "fields and objects of RTF",
      "doc",
      () =>
        `{\\rtf1\\ansi{\\*\\template ${web("rtf.dot")}}before\\par{\\field{\\*\\fldinst INCLUDEPICTURE "${web("rtf.png")}" \\\\d}{\\fldrslt x}}{\\field{\\*\\fldinst INCLUDETEXT "${local("canary.txt")}"}{\\fldrslt as saved}}{\\object\\objautlink\\objupdate{\\*\\objclass Word.Document.8}{\\*\\objdata 010500000000000000000000}{\\result as saved}}\\par}`.replaceAll(
          "\\\\",
          "\\",
        ),
    ],
    [
      "pictures, sounds and plug-ins of slides",
      "odp",
      () =>
        flatOpenDocument(
          "presentation",
          `<office:body><office:presentation><draw:page draw:name="a"><draw:frame svg:x="1cm" svg:y="1cm" svg:width="9cm" svg:height="3cm"><draw:text-box><text:p>before</text:p></draw:text-box></draw:frame>${["picture.png", "sound.wav", "film.mp4"].map((name) => `<draw:frame svg:width="2cm" svg:height="2cm"><draw:image xlink:href="${web(name)}" xlink:type="simple"/></draw:frame><draw:frame svg:width="2cm" svg:height="2cm"><draw:plugin xlink:href="${web(name)}" xlink:type="simple" draw:mime-type="application/vnd.sun.star.media"/></draw:frame><draw:frame svg:width="2cm" svg:height="2cm"><draw:floating-frame xlink:href="${web(name)}" xlink:type="simple"/></draw:frame>`).join("")}<draw:frame svg:width="2cm" svg:height="2cm"><draw:image xlink:href="${local("canary.png")}" xlink:type="simple"/></draw:frame></draw:page></office:presentation></office:body>`,
        ),
    ],
    [
      "addresses that only LibreOffice knows",
      "odt",
      () =>
        flatOpenDocument(
          "text",
          `<office:body><office:text><text:p>before</text:p><text:p>${[
            `vnd.sun.star.webdav://${host()}/a.png`,
            `ftp://${host()}/a.png`,
            `smb://${host()}/a.png`,
            `vnd.libreoffice.cmis://${host()}/a.png`,
            `vnd.sun.star.expand:${local("canary.png")}`,
            `vnd.sun.star.zip://${encodeURIComponent(local("canary.png"))}/a`,
            `vnd.sun.star.pkg://${encodeURIComponent(local("canary.png"))}/a`,
            `vnd.sun.star.tdoc:/1/a.png`,
            `private:stream/${local("canary.png")}`,
            `${documents}/canary.png`,
            `../canary.png`,
          ]
            .map(
              (address) =>
                `<draw:frame svg:width="2cm" svg:height="2cm" text:anchor-type="as-char"><draw:image xlink:href="${address}" xlink:type="simple"/></draw:frame>`,
            )
            .join("")}</text:p></office:text></office:body>`,
        ),
    ],
    [
      "scripts in other languages",
      "odt",
      () =>
        flatOpenDocument(
          "text",
          `<office:event-listeners>${["Python", "JavaScript", "BeanShell", "Java"]
            .map((language) =>
              ["document", "share", "user"]
                .map(
                  (place) =>
                    `<script:event-listener script:language="ooo:script" script:event-name="dom:load" xlink:href="vnd.sun.star.script:../../../..${documents}/run.py$main?language=${language}&amp;location=${place}" xlink:type="simple"/>`,
                )
                .join(""),
            )
            .join(
              "",
            )}</office:event-listeners><office:body><office:text><text:p>before</text:p></office:text></office:body>`,
        ),
    ],
    [
      "a macro that runs when the document opens",
      "odt",
      () =>
        flatOpenDocument(
          "text",
          `<office:scripts><office:script script:language="ooo:Basic"><ooo:libraries xmlns:ooo="http://openoffice.org/2004/office"><ooo:library-embedded ooo:name="Standard"><ooo:module ooo:name="M"><ooo:source-code>Sub Main
Open "${ran()}" For Output As #1
Close #1
End Sub</ooo:source-code></ooo:module></ooo:library-embedded></ooo:libraries></office:script><office:event-listeners><script:event-listener script:language="ooo:script" script:event-name="dom:load" xlink:href="vnd.sun.star.script:Standard.M.Main?language=Basic&amp;location=document" xlink:type="simple"/></office:event-listeners></office:scripts><office:body><office:text><text:p>before</text:p></office:text></office:body>`,
        ),
    ],
  ];

  describe.each(["zygote", "soffice"])("by %s", (mode) => {
    test.each(attempts)("gets nothing by %s", async (what, extension, content) => {
      const office = mode === "zygote" ? zygote : soffice;
      const converted = await convertWithoutTrace(office, await save(content(), extension));
      if (what.startsWith("entities")) return expect(converted).toEqual(failsWith("damaged"));
      if (converted instanceof Error) throw converted;
      expect(converted.text).toContain("before");
      if (what.startsWith("an EPS")) expect(converted.pictures).toEqual([]);
    });
  });
});

/** No size limit detects these documents, because their files are small. */
describe("a document that grows when it is opened", () => {
  const nested = (count: number, open: string, inside: string, close: string) =>
    open.repeat(count) + inside + close.repeat(count);
  const entityOf = (letter: string, before: string) => `<!ENTITY ${letter} "${`&${before};`.repeat(10)}">`;
  const letters = [..."abcdefghijklm"];

  test.each<[what: string, extension: string, content: () => Buffer | string, reasons: string[]]>([
    ["a hundred megabytes of spaces", "docx", () => docx({ body: paragraph(" ".repeat(1e8)) }), []],
    ["millions of paragraphs", "docx", () => docx({ body: "<w:p/>".repeat(5e6) }), ["timed-out"]],
    [
      "entities of entities",
      "docx",
      () => {
        const others = letters.slice(1).map((letter, index) => entityOf(letter, letters[index]!));
        return docx({ doctype: `<!DOCTYPE a [<!ENTITY a "ha">${others.join("")}]>`, body: paragraph("&m;") });
      },
      ["damaged"],
    ],
    [
      "tables in tables",
      "docx",
      () => docx({ body: nested(3000, "<w:tbl><w:tr><w:tc>", paragraph("x"), "<w:p/></w:tc></w:tr></w:tbl>") }),
      [],
    ],
    ["groups in groups", "doc", () => `{\\rtf1 ${nested(1e6, "{", "x", "}")}}`, []],
    [
      "drawings of drawings",
      "docx",
      () => {
        const groups = letters.slice(1).map((letter, index) => {
          const uses = `<use xlink:href="#${letters[index]}"/>`.repeat(10);
          return `<g id="${letter}">${uses}</g>`;
        });
        const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9"><rect id="a" width="9" height="9"/>${groups.join("")}</svg>`;
        return docx({ body: picture("a.svg"), media: { "a.svg": svg } });
      },
      ["timed-out"],
    ],
    [
      "a sheet with its last cell",
      "xlsx",
      () => xlsx('<row r="1048576"><c r="XFD1048576"><v>3</v></c></row>'),
      ["timed-out"],
    ],
    [
      "a font that is none",
      "docx",
      () =>
        docx({
          body: paragraph("before"),
          fonts:
            '<w:font w:name="Bad"><w:embedRegular r:id="bad.odttf" w:fontKey="{00000000-0000-0000-0000-000000000000}"/></w:font>',
          media: { "bad.odttf": Buffer.from("00010000000a0080000300204f532f32ffffffffffffffff".repeat(99), "hex") },
        }),
      ["converted"],
    ],
  ])("%s: it is ended or told, and the next one works", { timeout: 60_000 }, async (_, extension, content, reasons) => {
    const path = await save(content(), extension);
    const ended = await attempt(zygote, path, { timeoutMs: 5_000 }).catch(
      (failure: { reason?: string }) => failure.reason,
    );
    expect(ended).toBeOneOf(reasons.length > 0 ? reasons : ["timed-out", "too-large", "too-complex", "converted"]);
    expect((await convert(zygote, await save(docx({ body: paragraph("after") }), "docx"))).text).toContain("after");
    expect(readdirSync(scratch.memoryPath!)).toEqual([]);
  });
});

test("a web archive of 60 MB that takes long ends at its time, and others are answered meanwhile", async () => {
  // The parser reads each of 12 million delimiters. Without HTML, the archive would only fail at the end.
  const head = 'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="a"\r\n\r\n--a\r\n\r\n';
  const path = await save(head + " --a ".repeat(12e6), "doc");
  const ended = convert(zygote, path, { timeoutMs: 400 }).catch((failure: unknown) => failure);
  const controller = new AbortController();
  const left = convert(zygote, path, {}, controller.signal).catch((failure: unknown) => failure);
  let isLeft = false;
  void left.then(() => {
    isLeft = true;
  });
  expect(await ended).toEqual(failsWith("timed-out"));
  expect(isLeft).toBe(false);
  const reason = new Error("the client left");
  controller.abort(reason);
  expect(await left).toBe(reason);
  await eventually(() => {
    expect(readdirSync(scratch.path).filter((name) => name.startsWith("prepared"))).toEqual([]);
  });
});

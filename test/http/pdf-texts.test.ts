// Tests POST /pdf for texts, tables, data, Markdown, e-mail and web archives, over HTTP, in the container.
// Contract: docs/api.md#pdf, #inputs, #errors
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { HEIC, WEBP } from "../fixtures/coded-pictures.ts";
import { docx, paragraph } from "../fixtures/office.ts";
import { type FormFields, privateClient, upload } from "../support/client.ts";
import { EXAMPLE_IMAGE } from "../support/examples.ts";
import { textAndInfoOf } from "../support/pdf-readers.ts";

const IMAGE = Buffer.from(EXAMPLE_IMAGE.base64, "base64");
const file = (text: string | Buffer, name: string) => upload(Buffer.from(text), name);

async function converted(fields: FormFields) {
  const { status, body } = await privateClient().post("/pdf", { output: "made", ...fields });
  expect([status, body.error]).toEqual([200, undefined]);
  const bytes = new Uint8Array(await (await fetch(String(body.outputUrl))).arrayBuffer());
  return { body, notices: body.notices ?? [], ...textAndInfoOf(bytes) };
}

async function error(fields: FormFields): Promise<[number, string | undefined]> {
  const { status, body } = await privateClient().post("/pdf", { output: "made", ...fields });
  return [status, body.error];
}

const options = (value: unknown) => ({ structured_text_options: JSON.stringify(value) });

describe("texts", () => {
  test("plain text keeps its lines; a form feed starts a page", async () => {
    const { text, info } = await converted({ file: file("One\n  Two\fThree", "a.txt") });
    expect(text.replace(/\s+/g, " ").trim()).toBe("One Two Three");
    expect(info).toMatchObject({ Pages: "2", Title: "a" });
    expect(info["Page size"]).toContain("612 x 792");
  });

  test("a table has its header on each page", async () => {
    const rows = Array.from({ length: 90 }, (_, index) => `Item ${index},${index * 10}`);
    const { text, info } = await converted({ file: file(`Name,Amount\n${rows.join("\n")}`, "a.csv"), page_size: "A5" });
    expect(Number(info.Pages)).toBeGreaterThan(1);
    expect(text.match(/Name/g)).toHaveLength(Number(info.Pages));
  });

  test("a table that is too large to be printed at once has all of its rows, and its header on each page", async () => {
    const values = Array.from({ length: 7200 }, (_, row) =>
      ["x".repeat(40), ...Array(4).fill(row), `end${row}`].join(","),
    );
    const { text, info } = await converted({ file: file(`Text,A,B,C,D,Last\n${values.join("\n")}`, "a.csv") });
    expect(text.match(/end\d+/g)).toEqual(values.map((_, row) => `end${row}`));
    expect(text.match(/Last/g)).toHaveLength(Number(info.Pages));
    expect(info.Title).toBe("a");
  });

  test("a wide table turns the paper, unless the client chose its orientation", async () => {
    const wide = file(Array.from({ length: 14 }, (_, index) => `Column number ${index}`).join(","), "a.csv");
    expect((await converted({ file: wide })).info["Page size"]).toContain("792 x 612");
    const upright = await converted({ file: wide, page_orientation: "portrait" });
    expect(upright.info["Page size"]).toContain("612 x 792");
    expect(upright.text.replace(/\s+/g, "")).toContain("number13");
  });

  test("Markdown shows an image that was sent, and none of the web", async () => {
    const { body, text, notices } = await converted({
      file: file("# Title\n\n![Logo](logo.png) ![Far](https://example.com/a.png)", "a.md"),
      image_files: upload(IMAGE, "logo.png"),
    });
    expect(text).toContain("Title");
    expect(text).toContain("Far");
    expect(notices).toEqual(["1 image was not loaded"]);
    expect(body.inputId).toHaveLength(2);
  });

  test("options set title, language, paper and tags", async () => {
    const { info } = await converted({
      file: file('{"a": [1]}', "a.json"),
      ...options({ title: "T", language: "de", enable_tagging: true, page_setup: { width: 400, height: 300 } }),
    });
    expect(info).toMatchObject({ Title: "T", Tagged: "yes" });
    // The browser rounds to whole pixels.
    expect(info["Page size"]).toMatch(/^400(\.\d+)? x 300/);
  });

  test("XML expands no entity", async () => {
    const xml = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>';
    const { text } = await converted({ file: file(xml, "a.xml") });
    expect(text).toContain("&b;");
    expect(text).not.toContain("root:");
  });

  test.each<[string, unknown]>([
    ["structured_text_options.style.text_size", { style: { text_size: 5 } }],
    ["structured_text_options.csv.delimiter", { csv: { delimiter: "||" } }],
    ["structured_text_options.color", { color: "red" }],
    ["structured_text_options.page_setup.margin", { page_setup: { margin: { left: 400, right: 300 } } }],
  ])("a wrong member is named: %s", async (member, value) => {
    const [status, sentence] = await error({ file: file("a", "a.txt"), ...options(value) });
    expect(status).toBe(400);
    expect(sentence).toContain(`is not within the acceptable range for ${member}.`);
  });

  test("a width needs a height", async () => {
    const fields = { file: file("a", "a.txt"), ...options({ page_setup: { width: 100 } }) };
    expect(await error(fields)).toEqual([400, "The 'structured_text_options.page_setup.height' field is required."]);
  });

  test("an image without an alternative text is an error on request", async () => {
    const fields = { file: file("![](a.png)", "a.md"), ...options({ markdown: { missing_image_alt_text: "fail" } }) };
    expect(await error(fields)).toEqual([
      400,
      "fail is not within the acceptable range for structured_text_options.markdown.missing_image_alt_text. " +
        "The image a.png has no alternative text.",
    ]);
  });

  test("more cells than the limit give 422 with the limit", async () => {
    const cells = file("1,1,1,1,1,1,1,1,1,1\n".repeat(26_000), "a.csv");
    const [status, sentence] = await error({ file: cells, ...options({ title: "Cells" }) });
    expect([status, sentence]).toEqual([
      422,
      "The input file is too complex to be processed. A table can have at most 250,000 cells.",
    ]);
  });
});

/** Returns an e-mail with HTML, an image of its own, and attachments. */
function mail(html: string, attachments: readonly (readonly [name: string, content: Buffer])[] = []): Buffer {
  const part = (headers: string, content: Buffer) =>
    `--x\r\n${headers}\r\nContent-Transfer-Encoding: base64\r\n\r\n${content.toString("base64")}\r\n`;
  return Buffer.from(
    "From: =?utf-8?q?Caf=C3=A9?= <j@example.com>\r\nTo: b@example.com\r\nSubject: The <b>subject</b>\r\n" +
      "Date: Mon, 1 Jan 2024 10:00:00 +0100\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n" +
      part("Content-Type: text/html; charset=utf-8", Buffer.from(html)) +
      attachments
        .map(([name, content]) =>
          part(
            `Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="${name}"`,
            content,
          ),
        )
        .join("") +
      "--x--\r\n",
  );
}

describe("e-mail", () => {
  const attachments = [
    ["notes.txt", Buffer.from("Attached text")],
    ["letter.docx", docx({ body: paragraph("Attached letter") })],
    ["page.html", Buffer.from("<p>Attached page<script>document.write('Scripted')</script>")],
    ["drawing.svg", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><text y="20">Attached drawing</text></svg>')],
    ["site.zip", Buffer.from(zipSync({ "index.html": Buffer.from("<p>Attached site") }))],
    ["picture.webp", Buffer.from(WEBP)],
    ["picture.heic", Buffer.from(HEIC)],
    ["data.bin", Buffer.from([0, 1, 2, 3])],
  ] as const;

  test("shows headers and text, and lists attachments", async () => {
    const { text, info } = await converted({ file: file(mail("<p>Hello", attachments), "a.eml") });
    for (const part of ["Café <j@example.com>", "The <b>subject</b>", "Hello", "letter.docx", "data.bin (4 bytes)"]) {
      expect(text).toContain(part);
    }
    expect(info).toMatchObject({ Pages: "1", Title: "The <b>subject</b>" });
  });

  test("appends its attachments on request, without their scripts, and names those it leaves out", async () => {
    const { text, info, notices } = await converted({
      file: file(mail("<p>Hello", attachments), "a.eml"),
      attachments: "append",
    });
    for (const part of ["Hello", "text", "letter", "page", "drawing", "site"]) {
      expect(text).toContain(part === "Hello" ? part : `Attached ${part}`);
    }
    expect(text).not.toContain("Scripted");
    expect(info.Pages).toBe("8");
    expect(notices).toContain("1 attachment could not be converted: data.bin");
  });

  test("loads nothing and runs no script", async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const html =
        `<meta http-equiv=refresh content="0;url=${site}/a"><link rel=stylesheet href="${site}/b"><img src="${site}/c">` +
        `<style>@import "${site}/d"; p{background:url(${site}/e)} @font-face{font-family:f;src:url(${site}/f)} p{font-family:f}` +
        `</style><p style="background:url(${site}/g)">Shown<script>document.write("Scripted")</script>` +
        `<iframe src="${site}/h"></iframe><svg><image href="${site}/i"/></svg><img srcset="${site}/j 1x">`;
      const { text } = await converted({ file: file(mail(html), "a.eml") });
      expect(text).toContain("Shown");
      expect(text).not.toContain("Scripted");
      expect(asked).toEqual([]);
    } finally {
      server.close();
    }
  });

  test("nothing in the text covers the headers", async () => {
    const html = '<style>.headers{display:none}</style><div style="position:fixed;top:-200px">Below</div>';
    const { text } = await converted({ file: file(mail(html), "a.eml") });
    expect(text).toContain("b@example.com");
  });

  test("a web archive is converted with its parts", async () => {
    const archive =
      "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.com/\r\nSubject: Saved\r\n" +
      'MIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="x"\r\n\r\n' +
      "--x\r\nContent-Type: text/html\r\nContent-Location: https://example.com/\r\n\r\n" +
      '<title>Page</title><link rel="stylesheet" href="a.css"><p class=a>Archived</p>\r\n' +
      "--x\r\nContent-Type: text/css\r\nContent-Location: https://example.com/a.css\r\n\r\n.a::after{content:' styled'}\r\n--x--\r\n";
    const { text, info } = await converted({ file: file(archive, "a.mhtml") });
    expect(text).toContain("Archived styled");
    expect(info.Title).toBe("Page");
  });
});

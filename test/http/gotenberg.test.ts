// Tests the routes of Gotenberg 8 with the forms that its clients send: those of paperless-ngx, gotenberg-client
// (Python), which names the field of a file after the file, and gotenberg-go-client, which always names it `files`.
// Contract: docs/gotenberg.md#the-routes-of-version-8
import { execFileSync } from "node:child_process";
import { unzipSync } from "fflate";
import { describe, expect, inject, test } from "vitest";
import { docx, paragraph } from "../fixtures/office.ts";
import { plainPdf } from "../fixtures/pdf-builder.ts";
import { type Answer, type Parts, sendForm } from "../support/foreign-client.ts";
import { infoOf, pageTexts, withFile } from "../support/pdf-readers.ts";

const { private: open, keyed } = inject("services");

const send = (path: string, parts: Parts = [], headers: Headers = {}, { url } = open) =>
  sendForm(url + path, parts, headers);
type Headers = Readonly<Record<string, string>>;

const file = (bytes: Uint8Array | string, name: string) => new File([Buffer.from(bytes)], name);
const pdf = (name: string, ...texts: string[]) => file(plainPdf(...texts), name);
const names = ({ body }: Answer) => Object.entries(unzipSync(body)).map(([name, bytes]) => [name, ...pageTexts(bytes)]);

describe("what clients send", () => {
  test("paperless-ngx: an Office document as PDF/A", async () => {
    const parts: Parts = [
      ...[["pdfa", "PDF/A-2b"] as const, ["nativePageRanges", "1-9"] as const],
      ["letter.docx", file(docx({ body: paragraph("Dear reader") }), "letter.docx")],
    ];
    const answer = await send("/forms/libreoffice/convert", parts, { "Gotenberg-Trace": "trace-1" });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers).toMatchObject({
      ...{ "content-type": "application/pdf", "content-disposition": "attachment; filename=letter.pdf" },
      "gotenberg-trace": "trace-1",
    });
    expect(pageTexts(answer.body)).toEqual(["Dear reader"]);
    expect(answer.text).toMatch(/pdfaid:part(>|=")2/);
  });

  test("paperless-ngx: an e-mail as HTML, on paper of its own", async () => {
    const answer = await send("/forms/chromium/convert/html", [
      ...[["paperWidth", "210mm"] as const, ["paperHeight", "11.7"] as const, ["scale", "1.0"] as const],
      ...[["marginTop", "1in"] as const, ["marginBottom", "0.1in"] as const, ["marginLeft", "2in"] as const],
      ...[
        ["marginRight", "0.1in"] as const,
        ["cookies", '[{"name":"a","value":"b","domain":"x.example","sameSite":"lax"}]'] as const,
      ],
      ["index.html", file("<link rel=stylesheet href=output.css><p id=a>Mail</p><div id=b>not shown", "index.html")],
      ["output.css", file("body{margin:0}p{margin:0}#b{display:none}", "output.css")],
    ]);
    expect(answer.status, answer.text).toBe(200);
    expect(infoOf(answer.body)["Page size"]).toBe("594.96 x 841.92 pts (A4)");
    const words = withFile(answer.body, (path) =>
      execFileSync("pdftotext", ["-bbox", path, "-"], { encoding: "utf8" }),
    );
    const [, left, top, word] = /xMin="([\d.]+)" yMin="([\d.]+)"[^>]*>(\w+)/.exec(words)!;
    expect([word, Math.round(Number(left))]).toEqual(["Mail", 144]);
    expect(Number(top)).toBeCloseTo(72, -1);
    expect(words).not.toContain("shown");
  });

  test("Markdown in a template, on one sheet", async () => {
    const page = '<style>h1{break-before:page;height:900px}</style>{{ toHTML "a.md" }}{{ toHTML "a.md" }}';
    const answer = await send("/forms/chromium/convert/markdown", [
      ["files", file(page, "index.html")],
      ["files", file("# Heading", "a.md")],
      ["files", file("body{margin:0}", "a.css")],
      ["singlePage", "true"],
    ]);
    expect(answer.status, answer.text).toBe(200);
    expect(pageTexts(answer.body)).toEqual([expect.stringMatching(/^Heading\s+Heading$/)]);
    expect(Number(infoOf(answer.body)["Page size"]!.split(" x ")[1]!.split(" ")[0])).toBeGreaterThan(1350);
  });

  test("a screenshot in WebP", async () => {
    const answer = await send("/forms/chromium/screenshot/html", [
      ["files", file("<body style='background:red;height:2000px'>", "index.html")],
      ...[
        ["width", "320"] as const,
        ["height", "200"] as const,
        ["clip", "true"] as const,
        ["format", "webp"] as const,
      ],
    ]);
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, "image/webp"]);
    expect([answer.body.toString("latin1", 8, 15), answer.body.length > 100]).toEqual(["WEBPVP8", true]);
  });

  test("PDFs: merged by name, split, flattened with their names, and encrypted", async () => {
    const merged = await send(
      "/forms/pdfengines/merge",
      [
        ["files", pdf("10.pdf", "Ten")],
        ["files", pdf("9.pdf", "Nine")],
        ["metadata", '{"Title":"Both"}'],
        ["ownerPassword", "for owners"],
        ["allowPrinting", "false"],
      ],
      { "Gotenberg-Output-Filename": Buffer.from("café").toString("latin1") },
    );
    expect(merged.headers["content-disposition"]).toContain("filename*=UTF-8''caf%C3%A9.pdf");
    expect(pageTexts(merged.body)).toEqual(["Nine", "Ten"]);
    expect(infoOf(merged.body)).toMatchObject({ Title: "Both", Encrypted: expect.stringContaining("print:no") });
    const split: Parts = [
      ["files", pdf("p.pdf", "1", "2", "3")],
      ["splitMode", "intervals"],
      ["splitSpan", "2"],
    ];
    expect(names(await send("/forms/pdfengines/split", split))).toEqual([
      ["p_0.pdf", "1", "2"],
      ["p_1.pdf", "3"],
    ]);
    const two: Parts = [
      ["files", pdf("b.pdf", "B")],
      ["files", pdf("a.pdf", "A")],
    ];
    expect(names(await send("/forms/pdfengines/flatten", two))).toEqual([
      ["a.pdf", "A"],
      ["b.pdf", "B"],
    ]);
  });

  test("metadata are written, and read by the names of the files", async () => {
    const written = await send("/forms/pdfengines/metadata/write", [
      ["files", pdf("a.pdf", "A")],
      ["metadata", '{"Author":"Jane","Keywords":["x","y"],"Marked":true,"PDFVersion":1.7,"Trapped":"Unknown"}'],
    ]);
    const read = await send("/forms/pdfengines/metadata/read", [["files", file(written.body, "a.pdf")]]);
    expect(JSON.parse(read.text)).toEqual({
      "a.pdf": expect.objectContaining({ Author: "Jane", Keywords: "x, y", Marked: "true", PageCount: 1 }),
    });
  });
});

describe("what clients rely on", () => {
  test("errors are plain texts with the statuses of Gotenberg", async () => {
    const convert = "/forms/libreoffice/convert";
    const page = (...more: Parts): Parts => [
      ["files", file("<script>throw new Error('boom')</script>", "index.html")],
      ...more,
    ];
    const answers = [
      await send(convert, [["landscape", "foo"]]),
      await send(convert, [["files", file("x", "a.docx")]], { "Content-Type": "text/plain" }),
      await send("/forms/pdfengines/flatten", [["files", file("x", "a.pdf")]]),
      await send("/forms/chromium/convert/html", page(["failOnConsoleExceptions", "true"])),
      await send("/forms/chromium/convert/url", [["url", "http://127.0.0.1/"]]),
      await send("/forms/chromium/convert/html", page(["marginLeft", "9"])),
      await send("/forms/pdfengines/flatten", [
        ["downloadFrom", '[{"url":"http://x.example","extraHttpHeaders":{"Host":"y"}}]'],
      ]),
      await send("/forms/pdfengines/flatten", [["files", pdf("a.pdf", "A")]], {
        "Gotenberg-Webhook-Url": "http://10.0.0.1/",
      }),
      await send(convert),
      await send("/forms/unknown", [["a", "b"]]),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 415, 400, 409, 400, 400, 400, 400, 405, 404]);
    expect(new Set(answers.map(({ headers }) => headers["content-type"]))).toEqual(
      new Set(["text/plain; charset=UTF-8"]),
    );
    expect(answers[0]!.text).toMatch(
      /^Invalid form data: no form file found for .*\nform field 'landscape' is invalid/,
    );
    expect(answers[3]!.text).toContain("boom");
    expect(answers[4]!.text).toContain("form field 'url' is invalid");
  });

  test("the health of the modules, and the version", async () => {
    const health = await send("/health");
    const up = { status: "up", timestamp: expect.any(String) };
    expect([health.status, JSON.parse(health.text)]).toEqual([
      200,
      { status: "up", details: { chromium: up, libreoffice: up } },
    ]);
    expect((await send("/version")).text).toMatch(/^8\.\d+\.\d+$/);
  });

  test("in the keyed variant, the password of basic authentication is the key", async () => {
    const flatten = (headers: Headers) =>
      send("/forms/pdfengines/flatten", [["files", pdf("a.pdf", "A")]], headers, keyed);
    const basic = (key: string) => ({ Authorization: `Basic ${Buffer.from(`anyone:${key}`).toString("base64")}` });
    const answers = [await flatten({}), await flatten(basic("wrong")), await flatten(basic(keyed.key))];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 200]);
    expect(answers[0]!.headers["www-authenticate"]).toBe('Basic realm="Restricted"');
    const elsewhere = await send("/rotated-pdf", [["angle", "90"]], basic(keyed.key), keyed);
    expect(elsewhere.status).toBe(401);
  });
});

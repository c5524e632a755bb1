// Tests pdfua=on of POST /pdf.
// Contract: docs/api.md#pdf
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { docx, paragraph } from "../fixtures/office.ts";
import { keyedClient, upload } from "../support/client.ts";

const client = keyedClient();
const convert = (file: ReturnType<typeof upload>) => client.post("/pdf", { file, output: "a", pdfua: "on" });

/** A page with content that Chromium leaves untagged or tags with types of PDF 2.0. */
const page = (body: string) => `<!doctype html><html lang="en"><style>
  body { background: #eef } li { border-bottom: 1px solid red }</style>
  <h1>A heading</h1><aside><p>Some <strong>strong</strong> words, and <a href="https://example.com/a">a link</a></aside>
  <figure><p>In a figure</p><figcaption>A caption</figcaption></figure>
  <div style="opacity: 0.5; background: linear-gradient(red, blue); box-shadow: 0 0 5px">Shapes in a group</div>
  <ul><li>one <em>item</em></li><li>another</li></ul>${body}`;

test("HTML and Office documents become valid, and keep their look and tags", async () => {
  for (const [file, title, words] of [
    [upload(page(""), "a page.html"), "a page", "Lbl (block) LBody (block) NonStruct one Span (inline) NonStruct item"],
    [upload(docx({ body: paragraph("A paragraph") }), "b.docx"), "b", "A paragraph"],
  ] as const) {
    const [made] = await client.make("/pdf", { file, output: "a", pdfua: "on" });
    const { body } = await client.post("/validated-pdf", { file: upload(made!.bytes) });
    expect(body).toMatchObject({ profile: "PDF/UA-1", claims: ["PDF/UA-1"], compliant: true });
    const run = (program: string, ...args: string[]) =>
      execFileSync(program, [...args, "-"], { input: made!.bytes, encoding: "utf8" });
    expect(run("pdfinfo")).toMatch(new RegExp(`^Title: +${title}$`, "m"));
    expect(run("pdfinfo", "-struct-text").replace(/[\s"]+/g, " ")).toContain(words);
    const [tagged] = await client.make("/pdf", { file, output: "a", tagged_pdf: "on" });
    const drawn = (pdf: Uint8Array) => execFileSync("pdftoppm", ["-r", "50", "-"], { input: pdf });
    expect(drawn(made!.bytes).equals(drawn(tagged!.bytes))).toBe(true);
  }
});

test("a document that only its author can make accessible gives 422 with the rules", async () => {
  const picture = '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=" width="50" height="50">';
  for (const [file, rule] of [
    [upload(page(picture), "a.html"), "7.3 (test 1)"],
    [upload(page("<h3>A skipped level</h3>"), "a.html"), "7.4.2 (test 1)"],
    [upload("%!PS\n20 20 100 100 rectfill showpage", "a.ps"), "6.2 (test 1)"],
  ] as const) {
    const { status, body } = await convert(file);
    expect([status, body.error]).toEqual([
      422,
      expect.stringContaining(`cannot be converted to PDF/UA-1: rule ${rule}`),
    ]);
  }
});

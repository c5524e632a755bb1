// Tests POST /pdf for HTML: print scale, paper and tagging.
// Contract: docs/api.md#pdf
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type FormFields, privateClient, upload } from "../support/client.ts";
import { corpusDir } from "../support/corpus.ts";

const folder = mkdtempSync(join(tmpdir(), "pdf-paper-test-"));
afterAll(() => rmSync(folder, { recursive: true }));
const client = privateClient();

/** Returns a page with ten letters, each 0.6 em wide. */
const page = (css: string) =>
  `<!doctype html><style>${css} body { margin: 0 } p { font: 12pt monospace; margin: 0 }</style><h1>A heading</h1><p>tenletters`;
const PAPER = page("@page { size: A5; margin: 36pt }");
const SCREEN = page("");

async function printed(content: string, fields: FormFields = {}, text = "tenletters") {
  const [made] = await client.make("/pdf", { file: upload(content, "page.html"), output: "made", ...fields });
  const file = join(folder, "looked-at.pdf");
  writeFileSync(file, made!.bytes);
  const tool = (name: string, ...args: string[]) => execFileSync(name, args, { encoding: "utf8" });
  const lines = tool("pdfinfo", file).matchAll(/^([^:]+):\s*(.*)$/gm);
  const info = Object.fromEntries([...lines].map(([, name, value]) => [name!, value!]));
  const boxes = tool("pdftotext", "-bbox", file, "-");
  const word = new RegExp(`xMin="([\\d.]+)" yMin="[\\d.]+" xMax="([\\d.]+)"[^>]*>${text}`);
  const [, left, right] = word.exec(boxes) ?? [];
  const outline = tool("mutool", "show", file, "outline");
  const scale = (Number(right) - Number(left)) / 72;
  return { scale, left: Math.round(Number(left)), size: info["Page size"], tagged: info.Tagged, outline };
}

const FITTED = (612 - 144) / (1280 * 0.75);

describe("scale", () => {
  test("12pt is 12pt in a document that is made for paper, on its own pages", async () => {
    expect(await printed(PAPER)).toMatchObject({
      scale: expect.closeTo(1, 2),
      left: 36,
      size: "420 x 594.96 pts (A5)",
    });
    expect((await printed(page("@media print { b { color: red } }"))).scale).toBeCloseTo(1, 2);
  });

  test("a page that is made for screens is as wide as a desktop", async () => {
    expect((await printed(SCREEN)).scale).toBeCloseTo(FITTED, 2);
    expect((await printed(SCREEN, { web_layout: "desktop" })).scale).toBeCloseTo(FITTED, 2);
  });

  test("web_layout rules where it is sent, and be it with the default's value; empty, it was not sent", async () => {
    const fitted = await printed(PAPER, { web_layout: "desktop" });
    expect(fitted).toMatchObject({ scale: expect.closeTo(FITTED, 2), left: 72, size: "612 x 792 pts (letter)" });
    expect((await printed(PAPER, { web_layout: "mobile" })).scale).toBeCloseTo(468 / (390 * 0.75), 2);
    expect((await printed(PAPER, { web_layout: "" })).scale).toBeCloseTo(1, 2);
  });

  test("page_size, page_orientation and page_margin rule where they are sent", async () => {
    const own = expect.closeTo(1, 2);
    const cases = [
      [{ page_size: "letter" }, { left: 36, size: "612 x 792 pts (letter)" }],
      [{ page_orientation: "landscape" }, { left: 36, size: "792 x 612 pts (letter)" }],
      [{ page_margin: "1in" }, { left: 72, size: "420 x 594.96 pts (A5)" }],
      [
        { page_size: "A4", page_margin: "25.4mm" },
        { left: 72, size: "594.96 x 841.92 pts (A4)" },
      ],
    ] as const;
    for (const [fields, expected] of cases) {
      expect(await printed(PAPER, fields), JSON.stringify(fields)).toMatchObject({ scale: own, ...expected });
    }
  });
});

describe("tagged_pdf", () => {
  test("rules HTML as well", async () => {
    for (const content of [PAPER, SCREEN]) {
      expect(await printed(content)).toMatchObject({ tagged: "no", outline: "" });
      expect(await printed(content, { tagged_pdf: "off" })).toMatchObject({ tagged: "no" });
      const { tagged, outline } = await printed(content, { tagged_pdf: "on" });
      expect([tagged, outline]).toEqual(["yes", expect.stringContaining("A heading")]);
    }
  });
});

describe.skipIf(corpusDir === undefined)("real pages", () => {
  test("a report with @page rules prints larger than the same one fitted", async () => {
    const report = join(corpusDir!, "html/weasyprint-report");
    const css = readFileSync(join(report, "report.css"), "utf8");
    const html = readFileSync(join(report, "report.html"), "utf8").replace("</head>", `<style>${css}</style></head>`);
    const own = await printed(html, {}, "WeasyPrint");
    const fitted = await printed(html, { web_layout: "desktop" }, "WeasyPrint");
    // Some content is wider than letter paper, so Chromium shrinks the page, as when a browser prints it.
    expect(own.scale / fitted.scale).toBeGreaterThan(1.4);
  });
});

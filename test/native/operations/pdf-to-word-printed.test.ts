// Converts a document that Chromium prints without tags, with an outline: its HTML states what must be found again.
// Contract: docs/api.md#word
import { unzipSync } from "fflate";
import { beforeAll, describe, expect, test } from "vitest";
import { parsePages } from "../../../src/document/contract/pages.ts";
import { pdfToWord } from "../../../src/operations/pdf-to-word.ts";
import { setBookmarks } from "../../../src/operations/set-bookmarks.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { outputsOf } from "../../support/operations.ts";
import { pageTexts } from "../../support/pdf-readers.ts";
import { missingBrowser } from "../../support/plain-browser.ts";
import { printedPage } from "../../support/printed-page.ts";

const PRINTED_WITHIN_MS = 90_000;
// cspell:disable-next-line
const ARABIC = "الطيور حيوانات لها ريش وأجنحة وهي تعيش في كل مكان";
const JAPANESE = "鳥は羽毛のある動物で、世界中に住んでいます。";
const ROWS = Array.from({ length: 29 }, (_, at) => [`Bird ${at + 1}`, String(at * 3)]);
const COLUMN = "Each of the columns has words that are divided over several lines, and ends with a period. ".repeat(5);
const bar = (x: number, height: number) => `<rect x="${x}" y="${100 - height}" width="14" height="${height}"/>`;
const line = (y: number) => `<path d="M10 ${y}H200"/>`;

const HTML = `<!doctype html><meta charset="utf-8"><style>@page { size: 420pt 320pt; margin: 36pt }
@page wide { size: 520pt 320pt } body { font: 11px sans-serif; margin: 0 } h1 { font-size: 26px } h2 { font-size: 18px }
.wide { page: wide; break-before: page; columns: 2; column-gap: 30px } table { border-collapse: collapse }
td, th { border: 1px solid; padding: 3px 12px } mark { background: #ff0 }</style>
<p style="font-size: 30px">A guide to birds</p><p><a href="#far">The far part</a> and <mark>marked words</mark> too</p>
<svg width="220" height="112"><g fill="#36c">${bar(20, 40) + bar(50, 60) + bar(80, 80) + bar(110, 70)}</g>
<g stroke="#999">${[20, 40, 60, 80, 100].map(line).join("")}</g><text x="20" y="110" font-size="7">Spring</text></svg>
<h2>Names</h2><p dir="rtl">${ARABIC}</p><p>${JAPANESE}</p><table><thead><tr><th>Bird<th>Count</thead>
${ROWS.map((row) => `<tr><td>${row.join("<td>")}`).join("")}</table>
<div class="wide"><h2 id="far">The far part</h2><p>${COLUMN}</p><p>${COLUMN}</p></div>`;

describe.skipIf(missingBrowser())("a printed document", () => {
  let parts: Readonly<Record<string, Uint8Array>>;
  let xml: string;
  const paragraphs = (style: string) =>
    xml.split("<w:p>").flatMap((one) => (one.includes(`<w:pStyle w:val="${style}"/>`) ? [textOf(one)] : []));
  const textOf = (some: string) => some.replace(/<[^>]*>/g, "");
  const all = (pattern: RegExp) => Array.from(xml.matchAll(pattern), ([, found]) => found!);

  beforeAll(async () => {
    const pdf = await printedPage(HTML, ["--disable-pdf-tagging"]);
    const far = pageTexts(pdf).findIndex((text) => text.includes("Each of the columns")) + 1;
    const bookmarks = [
      { title: "Names", page: 1 },
      { title: "The far part", page: far },
    ];
    const [outlined] = await outputsOf(setBookmarks, [pdf], { bookmarks, mode: "replace" });
    const [docx] = await outputsOf(pdfToWord, [outlined!], { pages: parsePages("1-last")! });
    parts = unzipSync(docx!);
    xml = Buffer.from(parts["word/document.xml"]!).toString();
  }, PRINTED_WITHIN_MS);

  test("has a title, the headings of the outline as bookmarks, and a link to one", () => {
    expect([paragraphs("Title"), paragraphs("Heading1")]).toEqual([["A guide to birds"], ["Names", "The far part"]]);
    const bookmarks = all(/<w:bookmarkStart w:id="\d+" w:name="([^"]*)"/g);
    expect(bookmarks).toEqual(expect.arrayContaining(["Names", "The_far_part"]));
    const [target] = all(/<w:hyperlink w:anchor="([^"]*)"[^>]*>(?=<w:r>.*?<w:t[^>]*>The far part<)/g);
    const heading = xml.split("<w:p>").find((one) => one.includes('name="The_far_part"'))!;
    expect(heading).toContain(`w:name="${target}"`);
  });

  test("has a chart as a picture with its text, and colors behind words", () => {
    expect(Object.keys(parts).filter((name) => name.startsWith("word/media/"))).toEqual(["word/media/p1.png"]);
    expect(textOf(xml)).not.toContain("Spring");
    const marked = xml.split("<w:r>").filter((run) => run.includes('w:fill="FFFF00"'));
    expect(marked.map(textOf).join("").trim()).toBe("marked words");
  });

  test("has text from right to left, and Japanese", () => {
    const arabic = xml.split("<w:p>").find((one) => one.includes("<w:bidi/>"))!;
    expect([textOf(arabic), arabic.includes("<w:rtl/>")]).toEqual([ARABIC, true]);
    expect(textOf(xml)).toContain(JAPANESE);
    const fonts = Buffer.from(parts["word/fontTable.xml"]!).toString();
    for (const font of new Set(all(/w:eastAsia="([^"]*)"/g))) expect(fonts).toContain(`<w:font w:name="${font}">`);
    expect(fonts).not.toMatch(/Type3|false/);
  });

  test("has a table over two pages with one header, and sections of different sizes and columns", () => {
    const tables = xml.split("<w:tbl>").slice(1);
    expect(tables).toHaveLength(1);
    const rows = tables[0]!.split("</w:tbl>")[0]!.split("<w:tr>").slice(1);
    const cells = rows.map((row) => row.split("<w:tc>").slice(1).map(textOf));
    expect(cells).toEqual([["Bird", "Count"], ...ROWS]);
    expect(rows.map((row) => row.includes("<w:tblHeader/>"))).toEqual([true, ...ROWS.map(() => false)]);
    expect(all(/<w:pgSz w:w="(\d+)"/g).map((width) => Math.round(Number(width) / 20))).toEqual([420, 520]);
    expect(all(/<w:cols (?:w:num="(\d)")?/g)).toEqual([undefined, "2"]);
  });
});

test("10,000 pages, whose text is one document", async () => {
  const builder = new PdfBuilder();
  for (let page = 0; page < 10_000; page++) builder.page("Words of each page");
  const [docx] = await outputsOf(pdfToWord, [builder.bytes()], { pages: parsePages("1-last")! });
  const xml = Buffer.from(unzipSync(docx!)["word/document.xml"]!).toString();
  expect(xml.split("Words of each page")).toHaveLength(10_001);
}, 240_000);

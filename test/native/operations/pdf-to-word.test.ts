// Opens a Word document in LibreOffice, which states its structure, and compares the order of its elements with the
// schema, by which Word reads it.
// Contract: docs/api.md#word
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Document, Element } from "@xmldom/xmldom";
import { unzipSync } from "fflate";
import { beforeAll, describe, expect, test } from "vitest";
import { SOFFICE } from "../../../container/engines/libreoffice/profile.ts";
import { parsePages } from "../../../src/document/contract/pages.ts";
import { parseXml } from "../../../src/document/formats/xml.ts";
import { pdfToWord } from "../../../src/operations/pdf-to-word.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { HOSTILE_PDFS } from "../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, outputsOf, reasonOf } from "../../support/operations.ts";

const convert = (pdf: Uint8Array, pages = "1-last") => outputsOf(pdfToWord, [pdf], { pages: parsePages(pages)! });

/** A cold start of LibreOffice can take long on a busy machine. */
const OPENED_WITHIN_MS = 120_000;
const LIMITS = { characters: 2 ** 24, nodes: 200_000, depth: 200 };

const shown = (text: string, x: number, y: number, size = 6) => `BT /F ${size} Tf ${x} ${y} Td (${text}) Tj ET `;
const FULL = "The words of this line are many so that it reaches the margin at its end and";
const lines = (x: number, y: number, ...texts: readonly string[]) =>
  texts.map((text, at) => shown(text, x, y - at * 8)).join("");
const COLUMN = [
  "Each of the columns has",
  "words that are divided over",
  "several lines of text and",
  "ends with a period.",
];

/** Three pages with a running head and numbers. */
function reportPdf(): Uint8Array {
  const builder = new PdfBuilder();
  const edges = (page: number) => `${shown("Report of the year", 30, 188)}${shown(`Page ${page}`, 130, 8)}`;
  const first = [
    ...[shown("Annual report", 30, 165, 14), lines(30, 150, FULL, FULL, "ends with a result"), shown("1", 82, 136, 4)],
    ...[
      lines(30, 120, "1. The first of the points", "2. The second of the points"),
      lines(30, 98, "\\267 A thing without a number"),
    ],
    shown("1 The note below the text.", 30, 30, 5),
  ];
  builder.page(first.join("") + edges(1));
  const rows = [
    ["All", "", ""],
    ["Name", "Amount", "Due"],
    ["Paper", "10", "May"],
    ["Ink", "20", "June"],
  ];
  const table = rows.flatMap((row, y) =>
    row.map((text, x) => (text === "" ? "" : shown(text, 36 + x * 60, 156 - y * 16))),
  );
  const grid = [168, 152, 136, 120, 104].map((y) => `30 ${y} m 210 ${y} l S `);
  const sides = [30, 90, 150, 210].map((x, at) => `${x} 104 m ${x} ${at % 3 === 0 ? 168 : 152} l S `);
  const image = builder.stream(
    "\x00\xff\x80",
    "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceRGB",
  );
  const link = builder.add(
    "<</Type/Annot/Subtype/Link/Rect[30 80 120 92]/A<</S/URI/URI(https://example.com/a?b=1&c=2)>>>>",
  );
  const drawn = `${shown("All of the details", 30, 84)}q 60 0 0 40 90 34 cm /I Do Q `;
  builder.page(
    table.join("") + grid.join("") + sides.join("") + drawn + edges(2),
    `/Annots[${link}]`,
    `/XObject<</I ${image}>>`,
  );
  builder.page(lines(30, 165, ...COLUMN, ...COLUMN) + lines(160, 165, ...COLUMN, ...COLUMN) + edges(3));
  return builder.bytes();
}

/** Converts a document to OpenDocument in one file of XML. */
function openedInLibreOffice(docx: Uint8Array): Document {
  const folder = mkdtempSync(join(tmpdir(), "word-"));
  try {
    writeFileSync(join(folder, "a.docx"), docx);
    const profile = `-env:UserInstallation=file://${folder}/profile`;
    execFileSync(SOFFICE, ["--headless", profile, "--convert-to", "fodt", "--outdir", folder, join(folder, "a.docx")], {
      stdio: "ignore",
    });
    return parseXml(readFileSync(join(folder, "a.fodt"), "utf8"), LIMITS)!;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The order of elements in the schema (ECMA-376 part 1, annex A.1), of those that are written. */
const ORDER: Readonly<Record<string, string>> = {
  "w:pPr": "pStyle keepNext pageBreakBefore widowControl numPr shd tabs bidi spacing ind jc outlineLvl sectPr",
  "w:rPr": "rStyle rFonts b bCs i iCs strike color sz szCs u vertAlign rtl",
  "w:sectPr": "headerReference footerReference type pgSz pgMar pgNumType cols titlePg bidi",
  "w:tblPr": "bidiVisual tblW tblInd tblLayout tblCellMar tblLook",
  "w:tcPr": "tcW gridSpan vMerge tcBorders shd",
  "w:tcBorders": "top left bottom right",
  "w:lvl": "start numFmt lvlText lvlJc pPr",
  "w:style": "name basedOn next uiPriority semiHidden qFormat pPr rPr tblPr",
  "w:settings": "defaultTabStop evenAndOddHeaders characterSpacingControl footnotePr compat",
};

/** Returns the elements that have an unknown child, or one before another that it must follow. */
function misplaced(document: Document): readonly string[] {
  return Object.entries(ORDER).flatMap(([name, order]) => {
    const names = order.split(" ").map((one) => `w:${one}`);
    return Array.from(document.getElementsByTagName(name)).flatMap((element) => {
      const places = Array.from(element.childNodes, ({ nodeName }) =>
        names.indexOf(nodeName.replace("footerRef", "headerRef")),
      );
      const isRight = places.every((place, at) => place >= 0 && place >= (places[at - 1] ?? 0));
      return isRight ? [] : [`${name}: ${Array.from(element.childNodes, ({ nodeName }) => nodeName).join(" ")}`];
    });
  });
}

describe("a document with headings, lists, a table, notes and columns", () => {
  let parts: Readonly<Record<string, Uint8Array>>;
  let opened: Document;
  const elements = (name: string, root: Document | Element = opened) => Array.from(root.getElementsByTagName(name));
  const textOf = (element: Element) => element.textContent!.replace(/\s+/g, " ").trim();

  beforeAll(async () => {
    const [docx] = await convert(reportPdf());
    parts = unzipSync(docx!);
    opened = openedInLibreOffice(docx!);
  }, OPENED_WITHIN_MS);

  test("has parts that follow the schema, each with a type and a relationship", () => {
    const texts = Object.entries(parts).flatMap(([name, bytes]) =>
      /\.(xml|rels)$/.test(name) ? [[name, Buffer.from(bytes).toString()] as const] : [],
    );
    const documents = texts.map(([name, text]) => [name, parseXml(text, LIMITS)!] as const);
    for (const [name, document] of documents) expect([name, misplaced(document)]).toEqual([name, []]);
    const types = parts["[Content_Types].xml"]!.toString();
    const [relations, body] = ["word/_rels/document.xml.rels", "word/document.xml"].map((name) =>
      Buffer.from(parts[name]!).toString(),
    );
    for (const [, id] of body!.matchAll(/r:(?:id|embed)="(\w+)"/g)) expect(relations).toContain(`Id="${id}"`);
    for (const [, target] of relations!.matchAll(/Target="([^":]+)"\/>/g))
      expect(Object.keys(parts)).toContain(`word/${target}`);
    expect(types).not.toBe("");
  });

  test("opens with its structure, and without text boxes", () => {
    const body = elements("office:text")[0]!;
    expect(elements("text:h", body).map((one) => [one.getAttribute("text:outline-level"), textOf(one)])).toEqual([
      ["1", "Annual report"],
    ]);
    expect(elements("draw:text-box")).toEqual([]);
    expect(elements("text:list-item", body).map(textOf)).toEqual([
      ...["The first of the points", "The second of the points", "A thing without a number"],
    ]);
    const paragraphs = elements("text:p", body).map(textOf);
    expect(paragraphs).toContainEqual(
      expect.stringMatching(/^The words of .* and ends with a result1.*The note below/),
    );
    expect(elements("text:note", body).map((one) => textOf(elements("text:note-body", one)[0]!))).toEqual([
      expect.stringMatching(/The note below the text\.$/),
    ]);
    const cells = elements("table:table-cell", body);
    expect(cells.map((cell) => [textOf(cell), cell.getAttribute("table:number-columns-spanned")])).toEqual([
      ["All", "3"],
      ...["Name", "Amount", "Due", "Paper", "10", "May", "Ink", "20", "June"].map((text) => [text, null]),
    ]);
    expect(elements("text:a", body).map((one) => [one.getAttribute("xlink:href"), textOf(one)])).toEqual([
      ["https://example.com/a?b=1&c=2", "All of the details"],
    ]);
    expect(elements("draw:image", body)).toHaveLength(1);
    expect(elements("style:columns").map((one) => one.getAttribute("fo:column-count"))).toContain("2");
  });

  test("has headers and footers with the number of the page", () => {
    const [header, footer] = ["style:header", "style:footer"].map((name) => elements(name).map(textOf));
    expect(header).toContain("Report of the year");
    expect(footer!.every((text) => /^Page \d$/.test(text))).toBe(true);
    expect(elements("text:page-number").length).toBeGreaterThan(0);
    expect(textOf(elements("office:text")[0]!)).not.toContain("Report of the year");
  });
});

test("selected pages, and a scan, which becomes a picture", async () => {
  const builder = new PdfBuilder();
  const image = builder.stream(
    "\x00\xff\x80",
    "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceRGB",
  );
  builder.page("First");
  builder.page("q 300 0 0 200 0 0 cm /I Do Q %()", "", `/XObject<</I ${image}>>`);
  const pages = parsePages("2")!;
  for await (const output of pdfToWord.run([inputOf(builder.bytes())], { pages }, CONTEXT)) {
    const parts = unzipSync(await bytesOf(output));
    expect(Object.keys(parts).filter((name) => /media/.test(name))).toHaveLength(1);
    expect(Buffer.from(parts["word/document.xml"]!).toString()).not.toContain("First");
    expect(output.notices!()).toEqual([{ code: "pages-pictured", count: 1, subjects: [{ name: "2" }] }]);
  }
  await expect(convert(builder.bytes(), "3")).rejects.toThrow();
  expect(await reasonOf(() => convert(new Uint8Array(10)))).toBe("not-a-pdf");
});

test.each(HOSTILE_PDFS.filter(({ name }) => /glyph|array|tree/.test(name)))("$name ends", async ({ bytes }) => {
  expect(await reasonOf(() => convert(bytes()))).toMatch(
    /^(?:none|damaged|not-a-pdf|too-complex|too-large|password-protected)$/,
  );
});

// Reads recognized text with poppler, MuPDF's own program and pdfium, and compares images and renderings with the input.
// Contract: docs/api.md#pdf-with-ocr-text
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { PDFDocument } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { pdfToRasterized } from "../../../src/operations/pdf-to-rasterized.ts";
import { PdfBuilder, plainPdf } from "../../fixtures/pdf-builder.ts";
import { HOSTILE_PDFS } from "../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, reasonOf } from "../../support/operations.ts";
import { pageTexts, picturesOf, qpdfComplaints, withFile } from "../../support/pdf-readers.ts";
import { openRecognition, recognized } from "../../support/recognition.ts";

openRecognition();

const LINES = [
  "All human beings are born free",
  "and equal in dignity and rights.",
  "They are endowed with reason",
  "and conscience and should act",
  "towards one another in a spirit",
  "of brotherhood.",
];
const TEXT = LINES.join(" ");
const shown = LINES.map((line, index) => `1 0 0 1 30 ${170 - 24 * index} Tm (${line}) Tj `).join("");
/** @param before operators that turn the text */
const drawn = (before = "") => `${before} BT /F 15 Tf ${shown}ET`;

/** Returns a PDF whose pages are images of the pages of another one. */
async function scanOf(pdf: Uint8Array): Promise<Uint8Array> {
  const params = { dpi: 300, colorModel: "gray", jpegQuality: 90 } as const;
  for await (const output of pdfToRasterized.run([inputOf(pdf)], params, CONTEXT)) return bytesOf(output);
  throw new Error("no output");
}

function page(content: string, entries = ""): Uint8Array {
  const builder = new PdfBuilder();
  builder.page(content, entries);
  return builder.bytes();
}

const oneLine = (text: string | undefined) => text?.replace(/\s+/g, " ").trim();

/** The words of a PDF with their boxes, in points from the upper left corner. */
function wordsOf(pdf: Uint8Array) {
  const html = withFile(pdf, (path) => execFileSync("pdftotext", ["-bbox", path, "-"], { encoding: "utf8" }));
  const words = /<word xMin="(\S+)" yMin="(\S+)" xMax="(\S+)" yMax="(\S+)">(.*?)<\/word>/g;
  return [...html.matchAll(words)].map(([, left, top, right, bottom, text]) => ({
    text,
    box: [left, top, right, bottom].map(Number) as [number, number, number, number],
  }));
}

/** Returns the length that two ranges share, divided by the length of both together. */
const overlap = (from: number, to: number, otherFrom: number, otherTo: number): number =>
  Math.max(0, Math.min(to, otherTo) - Math.max(from, otherFrom)) / (Math.max(to, otherTo) - Math.min(from, otherFrom));

/** Returns hashes of the images' data as they are in the file. */
const imagesOf = (pdf: Uint8Array): string[] =>
  withFile(pdf, (path, folder) => {
    execFileSync("pdfimages", ["-all", path, `${folder}/image`]);
    const names = readdirSync(folder).filter((name) => name.startsWith("image"));
    return names.sort().map((name) =>
      createHash("sha256")
        .update(readFileSync(`${folder}/${name}`))
        .digest("hex"),
    );
  });

test("spec: each word is at its place on the page, and images are not changed", async () => {
  const original = page(drawn());
  const scan = await scanOf(original);
  expect(pageTexts(scan)).toEqual([""]);
  const { bytes, notices } = await recognized(scan);
  expect(notices).toEqual([]);
  expect(qpdfComplaints(bytes)).toBe("");
  expect(oneLine(pageTexts(bytes)[0])).toBe(TEXT);
  expect(imagesOf(bytes)).toEqual(imagesOf(scan));
  expect(picturesOf(bytes)).toEqual(picturesOf(scan));
  const before = wordsOf(original);
  const after = wordsOf(bytes);
  expect(after.map(({ text }) => text)).toEqual(before.map(({ text }) => text));
  const misplaced = after.filter(({ box: [left, top, right, bottom] }, index) => {
    const [x, y, toX, toY] = before[index]!.box;
    return overlap(left, right, x, toX) < 0.8 || overlap(top, bottom, y, toY) < 0.7;
  });
  // The engine itself misplaces a very short word now and then.
  expect(misplaced.filter(({ text }) => text!.length > 1)).toEqual([]);
  expect(bytes.length).toBeLessThan(1.05 * scan.length + 6_000);
});

describe("spec: pages on their side, upside down or slightly inclined are read as well", () => {
  test.each([
    ["on its left side", "0 1 -1 0 250 -50 cm", ""],
    ["on its right side", "0 -1 1 0 50 250 cm", ""],
    ["upside down", "-1 0 0 -1 300 200 cm", ""],
    ["inclined", ".9986 .0523 -.0523 .9986 5 -8 cm", ""],
    ["turned by the page", "0 1 -1 0 250 -50 cm", "/Rotate 90"],
    ["with a crop box and large units", "1 0 0 1 0 0 cm", "/CropBox[10 10 290 190]/UserUnit 2"],
  ])("%s", async (_, before, entries) => {
    const square = "/MediaBox[0 -50 300 250]";
    const scan = await scanOf(page(drawn(before), entries.includes("Crop") ? entries : square + entries));
    const { bytes } = await recognized(scan);
    // In the order of the content: poppler's own order is that of columns.
    const text = withFile(bytes, (path) => execFileSync("pdftotext", ["-raw", path, "-"], { encoding: "utf8" }));
    expect(oneLine(text)).toBe(TEXT);
    expect(picturesOf(bytes)).toEqual(picturesOf(scan));
  });
});

test("spec: a page with text stays, and so does a document whose pages all have text", async () => {
  const text = plainPdf("Typed");
  expect((await recognized(text)).bytes).toEqual(text);
  const blank = page("BT () Tj ET");
  expect((await recognized(blank)).bytes).toEqual(blank);
});

describe("spec: pictures on pages with text are read as well", () => {
  /** Returns a page of a document that shows a scan, and typed text at a place. */
  async function withTyped(scan: Uint8Array, typed: string, { x, y }: { readonly x: number; readonly y: number }) {
    const pdf = await PDFDocument.create();
    const [shown] = await pdf.embedPdf(scan);
    const page = pdf.addPage([400, 400]);
    page.drawPage(shown!, { x: 50, y: 50 });
    page.drawText(typed, { x, y, size: 15 });
    return pdf.save();
  }

  test.each([
    ["above the picture", { x: 80, y: 300 }],
    ["on the picture, like a stamp", { x: 80, y: 62 }],
  ])("typed text %s", async (_, place) => {
    const scan = await withTyped(await scanOf(page(drawn())), "Received", place);
    const { bytes, notices } = await recognized(scan);
    expect(notices).toEqual([]);
    const words = (text: string | undefined) => text!.split(/\s+/).filter(Boolean).sort();
    expect(words(pageTexts(bytes)[0])).toEqual(words(`${TEXT} Received`));
    expect(picturesOf(bytes)).toEqual(picturesOf(scan));
    expect(words(pageTexts((await recognized(bytes)).bytes)[0])).toEqual(words(`${TEXT} Received`));
  });

  test("a picture without text adds none", async () => {
    const scan = await withTyped(await scanOf(page("20 20 200 100 re f 0 0 m 300 200 l S")), "Typed", {
      x: 80,
      y: 300,
    });
    expect((await recognized(scan)).bytes).toEqual(scan);
  });
});

test("only the selected pages are read, and a page that does not exist is an error", async () => {
  const builder = new PdfBuilder();
  for (let count = 0; count < 2; count++) builder.page(drawn());
  const scan = await scanOf(builder.bytes());
  const pages = { text: "2", items: [{ first: 2, last: 2 }] } as const;
  const { bytes } = await recognized(scan, { pages });
  expect(pageTexts(bytes).map(oneLine)).toEqual(["", TEXT]);
  // The page that was read before has text.
  expect(pageTexts((await recognized(bytes)).bytes).map(oneLine)).toEqual([TEXT, TEXT]);
  const missing = { text: "3", items: [{ first: 3, last: 3 }] } as const;
  await expect(recognized(scan, { pages: missing })).rejects.toMatchObject({ parameter: "pages" });
});

describe("hostile documents", () => {
  // These use up the fuel as the others do, but slowly.
  const slow = /ten deep|four times|segments|rectangles|calculates|in flate/;

  test("fail for a reason, or are returned", { timeout: 600_000 }, async () => {
    for (const { name, bytes } of HOSTILE_PDFS.filter((one) => !slow.test(one.name))) {
      const reason = await reasonOf(() => recognized(bytes()));
      expect([name, reason]).not.toEqual([name, "crashed"]);
    }
  });

  test("a page whose picture takes too much work is too complex, and other pages are read", async () => {
    const builder = new PdfBuilder();
    builder.page(`%()\n${"0 0 20 200 re f ".repeat(100_000)}`);
    expect(await reasonOf(() => recognized(builder.bytes()))).toBe("too-complex");
    builder.page("%()\n20 20 200 100 re f");
    expect((await recognized(builder.bytes())).notices).toMatchObject([{ code: "pages-not-recognized" }]);
  });
});

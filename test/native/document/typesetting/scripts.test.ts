// Tests text in many scripts: two other engines extract what was sent, and another build of HarfBuzz shapes the whole
// fonts to the same glyphs.
import { execFileSync } from "node:child_process";
import * as mupdf from "mupdf";
import { beforeAll, expect, test } from "vitest";
import { fontPaths, SYSTEM_FONTS } from "../../../../container/fonts/system-fonts.ts";
import { clustersOf, FontShelf } from "../../../../src/document/typesetting/font-shelf.ts";
import { layOut, prepareText } from "../../../../src/document/typesetting/layout.ts";
import { requestedFont } from "../../../../src/document/typesetting/requested-font.ts";
import { addText } from "../../../../src/operations/add-text.ts";
import { labeledPdf } from "../../../fixtures/pdfs.ts";
import { SCRIPT_TEXTS } from "../../../fixtures/scripts.ts";
import { bytesOf, inputOf } from "../../../support/operations.ts";
import { qpdfComplaints, withFile } from "../../../support/pdf-readers.ts";
import { pythonShaper } from "../../../support/python-readers.ts";
import { TYPEFACES, TYPESETTING } from "../../../support/typefaces.ts";

const ARIAL = requestedFont("Arial")!;
const look = { font: "Arial", text_size: 8, max_width: 500, rotation: 0, opacity: 1, text_color_rgb: [0, 0, 0] };

let made: Uint8Array;
let fontTable: string;
let byPoppler: readonly string[];

/** Programs differ in the spaces that they see between glyphs, and mark the direction of text. */
const plain = (text: string) => text.replace(/[\s\u200e\u200f\u202a-\u202c]/g, "");

beforeAll(async () => {
  const textObjects = SCRIPT_TEXTS.map(({ text }, index) => ({ ...look, text, page: index + 1, x: 10, y: 30 }));
  const params = addText.params.parse({ textObjects, tagEnabled: false });
  const pdf = await labeledPdf("", SCRIPT_TEXTS.length);
  for await (const output of addText.run([inputOf(pdf)], params, TYPESETTING)) made = await bytesOf(output);
  withFile(made, (path) => {
    const run = (program: string, ...args: string[]) =>
      execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    byPoppler = run("pdftotext", path, "-").split("\f");
    fontTable = run("pdffonts", path);
  });
});

test.each(SCRIPT_TEXTS.map(({ script, text }, index) => [script, text, index] as const))(
  "poppler extracts %s",
  (script, text, index) => {
    // Poppler puts pictures of emoji before the text of their line.
    const parts = script === "emoji" ? clustersOf(plain(text)) : [plain(text)];
    for (const part of parts) expect(plain(byPoppler[index]!)).toContain(part);
  },
);

test("MuPDF extracts all of them", () => {
  const document = mupdf.Document.openDocument(made, "application/pdf");
  for (const [index, { text }] of SCRIPT_TEXTS.entries()) {
    expect(plain(document.loadPage(index).toStructuredText("").asText())).toContain(plain(text));
  }
});

test("the document is sound, and embeds only subsets, whose codes have a text", () => {
  expect(qpdfComplaints(made)).toBe("");
  const rows = fontTable.trimEnd().split("\n").slice(2);
  const added = rows.filter((row) => row.includes("Identity-H"));
  expect(added.length).toBeGreaterThan(20);
  for (const row of added) expect(row).toMatch(/^[A-Z]{6}\+.* yes yes yes /);
  expect(made.length).toBeLessThan(250_000);
});

test("another build of HarfBuzz shapes the fonts of the machine to the same glyphs", async (context) => {
  const shape = await pythonShaper(context);
  const paths = fontPaths([SYSTEM_FONTS]);
  const tasks = SCRIPT_TEXTS.flatMap(({ text, face, isRightToLeft }) =>
    face ? [{ path: paths.get(face)!, text, direction: isRightToLeft ? ("rtl" as const) : ("ltr" as const) }] : [],
  );
  const expected = shape(tasks);
  const shelf = await FontShelf.open(
    TYPEFACES,
    tasks.map(({ text }) => text),
  );
  for (const [index, { text, path }] of tasks.entries()) {
    const style = { font: ARIAL, size: 1000 };
    const block = layOut((await prepareText(text, { ...style, wraps: false }, shelf))!, style);
    const runs = block.lines[0]!.runs.map((run) => ("font" in run ? run : undefined)!);
    const unitsPerEm = runs[0]!.font.typeface.unitsPerEm;
    const glyphs = runs.flatMap(({ clusters }) => clusters.flatMap((cluster) => cluster.glyphs));
    let x = 0;
    const placed = expected[index]!.glyphs.map(([glyph, , advance, dx, dy]) => {
      const place = { glyph, x: x + dx!, y: dy! };
      x += advance!;
      return place;
    });
    const inUnits = glyphs.map(({ glyph, x, y }) => ({
      ...{ glyph, x: Math.round((x * unitsPerEm) / 1000), y: Math.round((y * unitsPerEm) / 1000) },
    }));
    expect([path, inUnits]).toEqual([path, placed]);
    expect(Math.round((block.width * unitsPerEm) / 1000)).toBe(x);
  }
});

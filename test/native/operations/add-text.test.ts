// Tests that two other engines see each text within half a point of its position, and every other pixel unchanged.
// Contract: docs/api.md#pdf-with-added-text
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { type AddTextParams, addText } from "../../../src/operations/add-text.ts";
import { AWKWARD_PAGES, pageWith } from "../../fixtures/awkward-pages.ts";
import { labeledPdf } from "../../fixtures/pdfs.ts";
import { changed, drawn, expectChange } from "../../support/changed-pixels.ts";
import { HOSTILE_PDFS, pdfOf } from "../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, reasonOf } from "../../support/operations.ts";
import { pageTexts, qpdfComplaints, uncompressed, withFile } from "../../support/pdf-readers.ts";
import { TYPESETTING } from "../../support/typefaces.ts";

const LOOK = { font: "DejaVu Sans", text_size: 20, max_width: 100, rotation: 0, opacity: 1, text_color_rgb: "255,0,0" };
const one = (text: string, more: object = {}) => ({ ...LOOK, text, page: 1, x: 40, y: 60, ...more });

async function add(pdf: Uint8Array, textObjects: object | readonly object[], more: Partial<AddTextParams> = {}) {
  const params = addText.params.parse({ textObjects: [textObjects].flat(), tagEnabled: false, ...more });
  for await (const output of addText.run([inputOf(pdf)], params, TYPESETTING)) {
    const made = await bytesOf(output);
    expect(qpdfComplaints(made)).toBe("");
    return { made, notices: output.notices!() };
  }
  throw new Error("no output");
}

/** Returns the structure tree and the complaints of poppler, without attributes. */
function structureOf(pdf: Uint8Array): readonly string[] {
  const { stdout, stderr } = withFile(pdf, (path) => spawnSync("pdfinfo", ["-struct", path], { encoding: "utf8" }));
  return [...stdout.matchAll(/^ *[A-Z]\w*/gm), ...stderr.matchAll(/.+/g)].map(([text]) => text);
}

const plain = pageWith("");
/** The box of a full block in DejaVu Sans, in units of the font size, by its glyph. */
const BLOCK = "█";
const [LEFT, BELOW, RIGHT, ABOVE] = [-0.01, -0.25, 0.779, 0.938];
const boxAt = (x: number, y: number, size: number) => [
  x + LEFT * size,
  y + BELOW * size,
  x + RIGHT * size,
  y + ABOVE * size,
];

describe("a text is at its place on the page as it is shown", () => {
  test.each(AWKWARD_PAGES)("that is %s", async (_, pdf) => {
    expectChange(pdf, (await add(pdf, one(BLOCK))).made, boxAt(40, 60, 20));
  });

  test("after a tab, which is as wide as four spaces", async () => {
    const spaces = 4 * 0.318 * 20;
    const { made } = await add(plain, one(`\t${BLOCK}`, { x: 70 - spaces }));
    // Poppler rounds the position of a glyph within a line.
    expectChange(plain, made, boxAt(70, 60, 20), 1, ["mupdf"]);
  });

  test("in units of the page", async () => {
    const pdf = pageWith("/UserUnit 2");
    expectChange(pdf, (await add(pdf, one(BLOCK))).made, boxAt(40, 60, 20), 1, ["mupdf"]);
  });

  test.each([
    [90, [BELOW, -RIGHT, ABOVE, -LEFT]],
    [180, [-RIGHT, -ABOVE, -LEFT, -BELOW]],
    [-90, [-ABOVE, LEFT, -BELOW, RIGHT]],
  ])("at an angle of %d degrees", async (rotation, box) => {
    const expected = box.map((unit, side) => (side % 2 === 0 ? 40 : 60) + unit * 20);
    expectChange(plain, (await add(plain, one(BLOCK, { rotation }))).made, expected);
  });
});

describe("a column", () => {
  const lineCount = async (object: object) => pageTexts((await add(await labeledPdf("", 1), object)).made)[0]!;

  test.each([
    ["between words", "one two three", 50, ["one two", "three"]],
    ["after a hyphen", "well-known", 35, ["well-", "known"]],
    ["within a long word", "Incomprehensible", 40, ["Incompr", "ehensibl", "e"]],
    ["between ideographs, but not before a comma", "今天天气很好，机密", 37, ["今天天", "气很", "好，机", "密"]],
    ["between words without spaces", "สวัสดีชาวโลก", 50, ["สวัสดีชาว", "โลก"]],
    ["at line breaks", "one\ntwo\r\nthree", 500, ["one", "two", "three"]],
  ])("breaks lines %s", async (_, text, max_width, lines) => {
    const object = one(text, { text_size: 10, font: "Arial", max_width, x: 60, y: 90 });
    const found = (await lineCount(object))
      .split("\n")
      .map((line) => line.replace(/^1? +/, "").replace(/ 1$/, "").trim());
    expect(found.filter((line) => line !== "" && line !== "1")).toEqual(lines);
  });

  test("of text from right to left ends at its right side", async () => {
    const { made } = await add(plain, one("שלום", { is_rtl: "true", max_width: "200", x: "10" }));
    const box = changed(drawn(plain, 1).mupdf, drawn(made, 1).mupdf)!;
    expect([box[2]! > 205, box[2]! <= 211, box[0]! > 100]).toEqual([true, true, true]);
  });
});

describe("the look", () => {
  test.each([
    ["in RGB", { text_color_rgb: "0, 128, 255" }, [0, 128, 255]],
    ["half transparent", { opacity: "0.5" }, [255, 128, 128]],
  ])("%s", async (_, look, color) => {
    const { made } = await add(pageWith("", ""), one(BLOCK, look));
    const { samples, width, height } = drawn(made, 1).mupdf;
    const at = 3 * ((height - 1 - 2 * 64) * width + 2 * 46);
    for (const [channel, expected] of color.entries()) {
      expect(Math.abs(samples[at + channel]! - expected)).toBeLessThan(3);
    }
  });

  test("in CMYK keeps its inks", async () => {
    const { text_color_rgb: _, ...cmyk } = one("Ink", { text_color_cmyk: [100, 50, 0, 10] });
    expect(uncompressed((await add(plain, cmyk)).made)).toContain("1 .5 0 .1 k");
  });
});

test("a text is one object on all pages, and its font is embedded once", async () => {
  const pdf = await labeledPdf("P", 500);
  const { made } = await add(pdf, [one("Copy", { page: "all" }), one("Opy", { page: "even", y: 20 })]);
  const text = uncompressed(made);
  expect(text.match(/\/Subtype \/Form/g)).toHaveLength(2);
  expect(text.match(/\/FontFile2/g)).toHaveLength(1);
  expect(made.length - pdf.length).toBeLessThan(20_000);
  expect(pageTexts(made)[3]).toMatch(/P4[\s\S]*Copy|Copy[\s\S]*P4/);
});

test("tags describe the text for readers, in a document with tags and in one without", async () => {
  const objects = [
    one("Title", { tag_structure_type: "H1", tag_actual_text: "The title" }),
    one("Line", { y: 20, tag_is_artifact: true }),
    one("Text", { y: 40 }),
  ];
  const tagged = { tagEnabled: true, tagLanguage: "en-US" };
  const first = await add(plain, objects, tagged);
  const { made } = await add(first.made, one("More", { y: 90 }), tagged);
  const text = uncompressed(made);
  expect(text.match(/\/S \/(?:H1|P)\b/g)).toEqual(expect.arrayContaining(["/S /H1", "/S /P", "/S /P"]));
  expect(text.match(/\/Type \/StructElem/g)).toHaveLength(4);
  expect(text.match(/\/S \/Document\b/g)).toHaveLength(1);
  expect(structureOf(made)).toEqual(["Document", "  H1", "  P", "  P"]);
  expect(text).toContain("/ActualText (The title)");
  expect(text).toMatch(/\/H1 <<\/MCID 0>> BDC[\s\S]*\/P <<\/MCID 1>> BDC[\s\S]*\/P <<\/MCID 2>> BDC/);
  expect(text).toContain("/Marked true");
});

describe("notices report", () => {
  const codes = async (pdf: Uint8Array, object: object) => (await add(pdf, object)).notices;
  test.each([
    ["a replaced font", one("A", { font: "timesnewromanbold" }), "fonts-substituted", "Liberation Serif Bold"],
    ["characters without a glyph", one("A\u{e000}B"), "glyphs-missing", undefined],
  ])("%s", async (_, object, code, replacedBy) => {
    const [notice] = await codes(plain, object);
    expect([notice?.code, notice?.count, notice?.subjects?.[0]?.replacedBy]).toEqual([code, 1, replacedBy]);
  });

  test("declarations that may be false", async () => {
    const claiming = pdfOf(
      [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 90 90]>>",
        "<</Type/Page/Parent 2 0 R>>",
        "<</GTS_PDFXVersion(PDF/X-1:2001)>>",
      ],
      "/Info 4 0 R",
    );
    expect((await codes(claiming, one("A"))).map(({ code }) => code)).toEqual(["claims-removed"]);
  });
});

describe("what is impossible is refused before any output", () => {
  test.each([
    [one("A", { font: "Nope" }), { parameter: "textObjects.0.font", why: "The requested font was not found." }],
    [one("A", { page: 2 }), { parameter: "textObjects.0.page", why: "The document has 1 page." }],
    [one("A", { tag_structure_type: "P" }), { parameter: "textObjects.0.tag_structure_type" }],
    [one("A".repeat(100_001)), { parameter: "textObjects", value: "100001" }],
  ])("%#", async (object, error) => {
    await expect(add(plain, object)).rejects.toMatchObject(error);
  });

  test("without fonts", async () => {
    const params = addText.params.parse({ textObjects: [one("A")], tagEnabled: false });
    const run = async () => {
      for await (const _ of addText.run([inputOf(plain)], params, CONTEXT));
    };
    expect(await reasonOf(run)).toBe("crashed");
  });
});

test.each([
  ["nothing but line breaks", "\n\r\n\u2028"],
  ["only controls", "\u0001\u0002\t"],
  ["half a surrogate pair", "a\ud800b"],
  ["only marks", "\u0301\u064b"],
  ["directions that never end", "\u202e\u2067abc\u202dשלום"],
  ["one long cluster", `a${"\u0301".repeat(500)}`],
])("a text of %s", async (_, text) => {
  expect((await add(plain, one(text))).made.length).toBeGreaterThan(plain.length);
});

test.each(HOSTILE_PDFS.map(({ name, bytes }) => [name, bytes] as const))("%s", async (_, bytes) => {
  const reason = await reasonOf(() => add(bytes(), one("A")));
  expect(["none", "damaged", "too-large", "too-complex", "unsupported"]).toContain(reason);
});

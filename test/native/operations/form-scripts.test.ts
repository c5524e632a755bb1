// Fills and flattens forms with values that the fonts of the form lack. Poppler and MuPDF read them, and poppler shows
// where they are.
// Contract: docs/api.md#pdf-with-imported-form-data, #flattened-forms-pdf
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { flattenForms } from "../../../src/operations/flatten-forms.ts";
import { type ImportFormDataParams, importFormData } from "../../../src/operations/import-form-data.ts";
import { formPdf, utf16 } from "../../fixtures/form-pdfs.ts";
import { bytesOf, CONTEXT, inputOf } from "../../support/operations.ts";
import { pageTexts, qpdfComplaints, uncompressed, withFile } from "../../support/pdf-readers.ts";
import { TYPESETTING } from "../../support/typefaces.ts";

// cspell:disable
const VALUES = [
  ["Arabic", "محمد علي"],
  ["Hebrew", "שלום עולם"],
  ["Devanagari", "नमस्ते दुनिया"],
  ["Thai", "สวัสดี"],
  ["Chinese", "你好世界"],
  ["Japanese", "こんにちは"],
  ["Korean", "안녕하세요"],
  ["Greek and Cyrillic", "Привет ωδή"],
  ["Polish", "Łódź"],
  ["emoji", "Hi 😀👍"],
] as const;
const LONG_THAI = "ทุกคนมีสิทธิในการดำรงชีวิต เสรีภาพ และความมั่นคงแห่งตัวตน";
const ARABIC = "محمد";
// cspell:enable
const [LEFT, RIGHT] = [20, 180];
/** Returns a form with a text field for each entry. Their names are `f0`, `f1` and so on. */
const form = (...fields: readonly string[]) =>
  formPdf(fields.map((entries, at) => `/FT/Tx/Rect[${LEFT} ${10 + 30 * at} ${RIGHT} ${35 + 30 * at}]${entries}`));
const HIGH = `/Rect[${LEFT} 100 ${RIGHT} 150]`;

async function filled(pdf: Uint8Array, data: ImportFormDataParams["data"], context = TYPESETTING) {
  for await (const output of importFormData.run([inputOf(pdf)], { data } as ImportFormDataParams, context)) {
    const bytes = await bytesOf(output);
    expect(qpdfComplaints(bytes)).toBe("");
    return { pdf: bytes, notices: output.notices!().map(({ code }) => code) };
  }
  throw new Error("no output");
}

const areAppearancesNeeded = (pdf: Uint8Array) => uncompressed(pdf).includes("/NeedAppearances true");
const inMupdf = (pdf: Uint8Array) =>
  withFile(pdf, (path) =>
    execFileSync("mutool", ["draw", "-F", "txt", path], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  );

/** Returns the text that poppler extracts. */
const shown = (pdf: Uint8Array) =>
  pageTexts(pdf)[0]!
    .replace(/[\u202a-\u202e]/g, "")
    .trim();

interface Word {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly text: string;
}

/** Returns the words that poppler finds, with their places. */
function wordsOf(pdf: Uint8Array): readonly Word[] {
  const found = withFile(pdf, (path) => execFileSync("pdftotext", ["-bbox", path, "-"], { encoding: "utf8" }));
  const WORD = /<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)"[^>]*>([^<]*)</g;
  return [...found.matchAll(WORD)].map(([, left, top, right, text]) => ({
    ...{ left: Number(left), right: Number(right), top: Number(top) },
    text: text!,
  }));
}

describe("a value in a script that the font of the form lacks", () => {
  test.each(VALUES)("is shown without NeedAppearances: %s", async (_, text) => {
    const { pdf, notices } = await filled(form("/Q 2"), { f0: text });
    expect([notices, areAppearancesNeeded(pdf)]).toEqual([[], false]);
    expect(shown(pdf).split(" ")).toEqual(expect.arrayContaining(text.split(" ")));
    expect([...inMupdf(pdf)]).toEqual(expect.arrayContaining([...text]));
    expect(Math.max(...wordsOf(pdf).map(({ right }) => right))).toBeCloseTo(RIGHT - 2, 0);
    const fonts = withFile(pdf, (path) => execFileSync("pdffonts", [path], { encoding: "utf8" }));
    // The form has Helvetica, and every viewer.
    for (const font of fonts.split("\n").slice(2, -1)) expect(font).toMatch(/^Helvetica| yes (yes|no) +yes /);
  });

  test("fills the cells of a comb, from right to left if its script does", async () => {
    const { pdf } = await filled(form("/Ff 16777216/MaxLen 8", "/Ff 16777216/MaxLen 8/Q 2"), { f0: "한국", f1: "שלו" });
    const cell = (RIGHT - LEFT) / 8;
    const centers = new Map(wordsOf(pdf).map(({ text, left, right }) => [text, ((left + right) / 2 - LEFT) / cell]));
    for (const [text, center] of Object.entries({ 한: 0.5, 국: 1.5, ש: 7.5, ל: 6.5, ו: 5.5 }))
      expect([text, Math.round(centers.get(text)! * 10) / 10]).toEqual([text, center]);
  });

  test("wraps in a field of several lines, at a size at which it fits", async () => {
    const text = LONG_THAI;
    const { pdf } = await filled(formPdf([`/FT/Tx/Ff 4096/DA(/Helv 0 Tf 0 g)${HIGH}`]), { f0: text });
    const words = wordsOf(pdf);
    expect(new Set(words.map(({ top }) => Math.round(top))).size).toBeGreaterThan(1);
    for (const { left, right } of words) expect([left >= LEFT, right <= RIGHT]).toEqual([true, true]);
    expect(shown(pdf).replace(/\s/g, "")).toContain(text.replace(/\s/g, ""));
  });

  test("is chosen in a list", async () => {
    const list = formPdf([`/FT/Ch/Opt[[(a)${utf16("日本")}][(b)(plain)]]${HIGH}`]);
    const { pdf, notices } = await filled(list, { f0: "a" });
    expect(notices).toEqual([]);
    expect(wordsOf(pdf).map(({ text }) => text)).toEqual(["日本", "plain"]);
  });

  test("becomes content", async () => {
    const requested = formPdf([`/FT/Tx${HIGH}/V${utf16(ARABIC)}`], { needAppearances: true });
    for await (const output of flattenForms.run([inputOf(requested)], {}, TYPESETTING)) {
      const flat = await bytesOf(output);
      expect(output.notices!()).toEqual([]);
      expect(shown(flat)).toBe(ARABIC);
    }
  });
});

test("a field with a fitting font has no other font", async () => {
  const data = { f0: "Größe 5 €", f1: "שלום" };
  const [before, after] = [await filled(form(""), { f0: data.f0 }, CONTEXT), await filled(form(""), { f0: data.f0 })];
  expect(Buffer.compare(before.pdf, after.pdf)).toBe(0);
});

test("characters that no font has are a notice, but do not concern viewers", async () => {
  const { pdf, notices } = await filled(form("", ""), { f0: "\ue123", f1: "שלום" });
  expect([notices, areAppearancesNeeded(pdf)]).toEqual([["characters-missing"], false]);
  expect(shown(pdf)).toContain("שלום");
});

test.each([
  ["without fonts", CONTEXT, ["सब"]],
  // The values are longer than all texts of a request may be.
  ["of too many texts", TYPESETTING, Array.from({ length: 6 }, () => "सब".repeat(9_000))],
])("characters are left to viewers %s", async (_, context, values) => {
  const data = Object.fromEntries(values.map((value, at) => [`f${at}`, value]));
  const { pdf, notices } = await filled(form(...values.map(() => "")), data, context);
  expect([notices, areAppearancesNeeded(pdf)]).toEqual([["characters-missing"], true]);
});

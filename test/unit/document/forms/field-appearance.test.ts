// Tests the appearances made from field dictionaries, by their operators.
import { describe, expect, test } from "vitest";
import { FieldAppearances } from "../../../../src/document/forms/field-appearance.ts";
import { visualOrder } from "../../../../src/document/forms/text/visual-order.ts";
import { Budget } from "../../../../src/document/objects/budget.ts";
import { MupdfSource } from "../../../../src/document/objects/engine/mupdf-source.ts";
import { PdfFile } from "../../../../src/document/objects/pdf-file.ts";
import { Dictionary, type Value } from "../../../../src/document/objects/values.ts";
import { type FormOptions, formPdf, HELVETICA, utf16 } from "../../../fixtures/form-pdfs.ts";
import { CONTEXT } from "../../../support/operations.ts";

const PLACE = "/Rect[0 0 100 20]";

interface Look {
  readonly content: string;
  readonly dictionary: Dictionary;
  readonly state: string | undefined;
}

/** Returns the appearance of the only field, or of its state with the given name. */
async function lookOf(entries: string, options: FormOptions = {}, name?: string): Promise<Look | undefined> {
  const budget = new Budget(2 ** 26);
  const source = await MupdfSource.open(formPdf([entries], options), CONTEXT.heapLimitBytes, budget);
  const file = PdfFile.of(source, budget);
  try {
    const [field] = file.array(file.dictionary(file.catalog.get("AcroForm"))!.get("Fields"))!;
    const made = new FieldAppearances(file).make(file.dictionary(field)!);
    if (!made) return undefined;
    const normal: Value | undefined =
      made.normal instanceof Dictionary ? made.normal.get(name ?? made.state!) : made.normal;
    const stream = file.stream(normal)!;
    const content = Buffer.from(stream.body.decoded(2 ** 20)).toString("latin1");
    return { content, dictionary: stream.dictionary, state: made.state };
  } finally {
    source.close();
  }
}

/** Returns the bytes that the appearance shows, in the order of its operators. */
async function shownBy(entries: string, options?: FormOptions): Promise<string[]> {
  const { content } = (await lookOf(entries, options))!;
  return [...content.matchAll(/<([\da-f]*)> Tj/g)].map(([, hex]) => Buffer.from(hex!, "hex").toString("latin1"));
}

describe("text", () => {
  test.each<[string, string, FormOptions, string[]]>([
    ["of a combo box is that of the option", "/FT/Ch/Ff 131072/Opt[[(a)(One)][(b)(Two)]]/V(b)", {}, ["Two"]],
    ["of a list is all options from the top one on", "/FT/Ch/Opt[(One)(Two)(Three)]/TI 1/V(Two)", {}, ["Two", "Three"]],
    ["is limited", "/FT/Tx/MaxLen 3/V(abcdef)", {}, ["abc"]],
    ["of a comb is in cells", "/FT/Tx/Ff 16777216/MaxLen 5/V(abc)", {}, ["a", "b", "c"]],
    ["of a password is hidden", "/FT/Tx/Ff 8192/V(abc)", {}, ["\x95\x95\x95"]],
    ["of a line has no line breaks", "/FT/Tx/V(a\\nb)", {}, ["a b"]],
    ["of paragraphs has a line for each", "/FT/Tx/Ff 4096/DA(/Helv 4 Tf)/V(a\\r\\nb\\rc)", {}, ["a", "b", "c"]],
    ["uses the codes of the font", `/FT/Tx/V${utf16("a\u20acb")}`, {}, ["a\x80b"]],
    [
      "uses differences of the font",
      "/FT/Tx/DA(/Own 9 Tf)/V(ab)",
      {
        form: `/DR<</Font<</Own<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[1/a/b]>>>>>>>>`,
      },
      ["\x01\x02"],
    ],
    [
      "uses the Unicode values of a composite font",
      "/FT/Tx/DA(/Own 9 Tf)/V(ab)",
      {
        objects: (builder) => ({
          font: builder.add(
            `<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/X/DW 500>>]/ToUnicode ${builder.stream("1 begincodespacerange <0000><ffff> endcodespacerange 2 beginbfchar <0102> <0061> <0304> <0062> endbfchar")}>>`,
          ),
        }),
        form: "/DR<</Font<</Own $font>>>>",
      },
      ["\x01\x02\x03\x04"],
    ],
    ["survives a form without resources", "/FT/Tx/V(abc)", { form: "/DR 7" }, ["abc"]],
  ])("%s", async (_, entries, options, shown) => {
    expect(await shownBy(`${entries}${PLACE}`, options)).toEqual(shown);
  });

  test("of several scripts names a font for each", async () => {
    const { dictionary } = (await lookOf(`/FT/Tx/V${utf16("a ж 日")}${PLACE}`))!;
    const fonts = (dictionary.get("Resources") as Dictionary).get("Font") as Dictionary;
    expect(fonts.keys()).toEqual(["Helv", "Spare.eastern", "Spare.chinese"]);
  });

  test("has the size and the color of the default appearance", async () => {
    const { content } = (await lookOf(`/FT/Tx/DA(0.5 g /Helv 7 Tf 1 0 0 rg)/V(x)${PLACE}`))!;
    expect(content).toMatch(/1 0 0 rg\n.*\n\/Helv 7 Tf/);
  });

  test("that wraps breaks between words, and within those that are too long", async () => {
    const lines = await shownBy("/FT/Tx/Ff 4096/DA(/Helv 10 Tf)/V(one two three wwwwwwwwwwww)/Rect[0 0 60 200]");
    expect(lines).toEqual(["one two", "three", "wwwwwww", "wwwww"]);
  });
});

describe("buttons", () => {
  const CHECK = "/FT/Btn/MK<</CA(4)>>";

  test.each<[string, string, string]>([
    ["the state", `${CHECK}/AS/Blue/V/Red`, "Blue"],
    ["the value", `${CHECK}/V/Red`, "Red"],
    ["neither", CHECK, "Off"],
  ])("are in the state of %s", async (_, entries, state) => {
    expect((await lookOf(`${entries}${PLACE}`))!.state).toBe(state);
  });

  test("have a mark if they are on only", async () => {
    const on = await lookOf(`${CHECK}/AS/Yes${PLACE}`);
    const off = await lookOf(`${CHECK}/AS/Yes${PLACE}`, {}, "Off");
    expect([on!.content.includes(" c\n"), off!.content]).toEqual([true, ""]);
  });

  test("may have any character as a mark", async () => {
    expect(await shownBy(`/FT/Btn/AS/Yes/MK<</CA(X)>>${PLACE}`)).toEqual(["X"]);
  });
});

test.each([
  ["without a type", PLACE],
  ["without an area", "/FT/Tx/V(x)/Rect[5 5 5 25]"],
  ["without a rectangle", "/FT/Tx/V(x)"],
  ["of an unknown type", `/FT/Xx${PLACE}`],
])("a field %s has no look", async (_, entries) => {
  expect(await lookOf(entries)).toBeUndefined();
});

test("a turned widget has a matrix, and exchanged sides", async () => {
  const { dictionary } = (await lookOf(`/FT/Tx/V(x)/MK<</R 90>>${PLACE}`))!;
  expect([dictionary.get("BBox"), dictionary.get("Matrix")]).toEqual([
    [0, 0, 20, 100],
    [0, 1, -1, 0, 100, 0],
  ]);
});

test("values that many fields share take bounded work", async () => {
  const budget = new Budget(2 ** 27);
  const objects: FormOptions["objects"] = (builder) => ({
    up: builder.add(`<</FT/Tx/Ff 4096/DA(/Helv 0 Tf)/V(${"word ".repeat(4000)})>>`),
  });
  const fields = Array.from({ length: 500 }, () => `/Parent $up/Rect[0 0 300 200]`);
  const pdf = formPdf(fields, { objects, form: `/DR<</Font<</Helv ${HELVETICA}>>>>` });
  const source = await MupdfSource.open(pdf, CONTEXT.heapLimitBytes, budget);
  const file = PdfFile.of(source, budget);
  const appearances = new FieldAppearances(file);
  const all = file.array(file.dictionary(file.catalog.get("AcroForm"))!.get("Fields"))!;
  expect(() => all.map((field) => appearances.make(file.dictionary(field)!))).toThrow("too-complex");
  appearances.beginPage();
  expect(appearances.make(file.dictionary(all[0]!)!)).toBeDefined();
  source.close();
});

test.each([
  ["plain text", "abc 1", "abc 1"],
  ["Hebrew", "\u05d0\u05d1\u05d2", "\u05d2\u05d1\u05d0"],
  ["Hebrew with a number", "\u05d0\u05d1 123 \u05d2", "\u05d2 123 \u05d1\u05d0"],
  ["Hebrew in English", "ab \u05d0\u05d1 cd", "ab \u05d1\u05d0 cd"],
  ["English in Hebrew", "\u05d0\u05d1 cd \u05d2", "\u05d2 cd \u05d1\u05d0"],
  ["brackets", "\u05d0(\u05d1)", "(\u05d1)\u05d0"],
])("%s is in the order of the page", (_, logical, visual) => {
  expect(visualOrder([...logical]).join("")).toBe(visual);
});

// Tests the values of PDF objects.
import { describe, expect, test } from "vitest";
import { Lexer } from "../../../../src/document/objects/parsing/lexer.ts";
import { serialize, serializeNumber, sorted } from "../../../../src/document/objects/serialize.ts";
import { Dictionary, Name, PdfString, Reference, type Value } from "../../../../src/document/objects/values.ts";

const text = (value: Value) => serialize(value, ({ number }) => number);
const parse = (source: string) => {
  const lexer = new Lexer(Buffer.from(source, "latin1"));
  lexer.next();
  return lexer.value(true);
};

describe("dictionaries", () => {
  test("keep entries in their order, few or many", () => {
    const keys = Array.from({ length: 40 }, (_, index) => `K${index}`);
    const dictionary = new Dictionary();
    for (const [index, key] of keys.entries()) dictionary.set(key, index);
    dictionary.delete("K7");
    dictionary.set("K8", -8);
    expect([...dictionary.keys()]).toEqual(keys.filter((key) => key !== "K7"));
    expect([dictionary.get("K7"), dictionary.get("K8"), dictionary.get("K39"), dictionary.size]).toEqual([
      undefined,
      -8,
      39,
      39,
    ]);
  });

  test("a copy and what it was made of change on their own", () => {
    for (const count of [3, 40]) {
      const first = new Dictionary();
      for (let index = 0; index < count; index++) first.set(`K${index}`, index);
      const second = first.clone();
      const third = second.map((value) => (value === 1 ? null : value));
      first.delete("K0");
      second.set("new", true).delete("K2");
      expect([first.get("K2"), first.has("new"), first.has("K0"), first.size]).toEqual([2, false, false, count - 1]);
      expect([second.get("K0"), second.get("new"), second.has("K2"), second.size]).toEqual([0, true, false, count]);
      expect([third.get("K0"), third.has("K1"), third.get("K2"), third.size]).toEqual([0, false, 2, count - 1]);
    }
  });

  test("many entries go at once", () => {
    const dictionary = new Dictionary();
    for (let index = 0; index < 300_000; index++) dictionary.set(`K${index}`, index);
    dictionary.retain((key) => key.endsWith("00000"));
    expect([...dictionary]).toEqual([
      ["K100000", 100_000],
      ["K200000", 200_000],
    ]);
    expect([dictionary.has("K1"), dictionary.get("K200000"), dictionary.set("K1", 2).get("K1")]).toEqual([
      false,
      200_000,
      2,
    ]);
    dictionary.clear();
    expect([dictionary.size, dictionary.has("K1")]).toEqual([0, false]);
  });

  test("null is the same as no entry", () => {
    const dictionary = Dictionary.of({ A: 1, B: null });
    expect(dictionary.set("A", null).size).toBe(0);
  });

  test("a clone goes its own way", () => {
    const one = Dictionary.of({ A: 1 });
    const other = one.clone().set("A", 2).set("B", 3);
    expect([one.get("A"), one.has("B"), other.get("A")]).toEqual([1, false, 2]);
  });
});

describe("numbers are as short as they can be and read back as the same 32 bits", () => {
  test.each([
    [0, "0"],
    [-0, "0"],
    [12, "12"],
    [4294967295, "4294967295"],
    [0.5, ".5"],
    [-0.5, "-.5"],
    [Math.fround(0.1), ".1"],
    [Math.fround(1 / 3), ".33333334"],
    [Math.fround(1e-7), ".0000001"],
    [Math.fround(-1.5e-38), `-.${"0".repeat(37)}15`],
    [1e20, "100000000000000000000.0"],
    [Number.POSITIVE_INFINITY, "0"],
    [1e300, `34${"0".repeat(37)}.0`],
  ])("%d", (value, expected) => {
    expect(serializeNumber(value)).toBe(expected);
  });

  test("any of them", () => {
    const bits = new Uint32Array(1);
    const float = new Float32Array(bits.buffer);
    for (let seed = 1, count = 0; count < 20_000; count++) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      bits[0] = seed;
      if (!Number.isFinite(float[0])) continue;
      const written = serializeNumber(float[0]!);
      expect(written).toMatch(/^-?(\d+(\.\d+)?|\.\d+)$/);
      expect(Math.fround(Number(written))).toBe(float[0] === 0 ? 0 : float[0]);
    }
  });
});

describe("syntax", () => {
  test.each([
    ["<</A/B/C[1 2/D(x)<</E 7 0 R>>]/F true/G -.5>>"],
    ["[/A#20B/#23/\u00e9]".replace("\u00e9", "#e9")],
    ["(a\\(b\\)\\\\c\\rd\ne)"],
    ["[1 0 R 2 3 4 0 R true false null/A]"],
  ])("%s is written as it was read", (source) => {
    expect(text(parse(source)!)).toBe(source);
  });

  test.each([
    ["(\\101\\7\\0533\\n\\x\\\r\nz)", "A\x07+3\nxz"],
    ["(a\r\nb\rc)", "a\nb\nc"],
    ["(a(b)c)", "a(b)c"],
    ["<48 65 6C6c6>", "Hell`"],
    ["(never closed", "never close"],
  ])("the string %j", (source, expected) => {
    expect((parse(source) as PdfString).latin1).toBe(expected);
  });

  test.each([
    ["--5", -5],
    ["+.5", 0.5],
    ["4.", 4],
    ["1-2", 1],
    ["-", 0],
  ])("the number %s", (source, expected) => {
    expect(parse(source)).toBe(expected);
  });

  test("containers 100,000 deep end", () => {
    expect(Array.isArray(parse("[".repeat(100_000)))).toBe(true);
  });

  test("names and strings keep every byte", () => {
    const all = Array.from({ length: 255 }, (_, index) => String.fromCharCode(index + 1)).join("");
    expect((parse(text(Name.of(all))) as Name).text).toBe(all);
    expect((parse(text(PdfString.ofLatin1(`\0${all}`))) as PdfString).latin1).toBe(`\0${all}`);
    expect(PdfString.ofLatin1(all).bytes).toEqual(Uint8Array.from(all, (character) => character.charCodeAt(0)));
  });

  test("equal values in one order are one text", () => {
    const [one, other] = ["<</A 1/B<</C 2/D 3>>>>", "<</B<</D 3/C 2>>/A 1>>"].map((source) =>
      text(sorted(parse(source)!)),
    );
    expect(one).toBe(other);
  });

  test("a reference is written with the number it has there", () => {
    expect(serialize([new Reference(5)], () => 77)).toBe("[77 0 R]");
  });
});

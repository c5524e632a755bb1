// Tests font programs that are read, and rewritten with other widths and glyphs: unchanged parts stay the same, and no
// input makes a reader hang. The programs are installed on the machine.
import { describe, expect, test } from "vitest";
import { cffWidth, glyphNames, readCff } from "../../../../src/document/fonts/cff/cff.ts";
import { readIndex, writeIndex } from "../../../../src/document/fonts/cff/syntax.ts";
import { glyphWidth, withWidth } from "../../../../src/document/fonts/cff/type2-charstring.ts";
import { writeCff } from "../../../../src/document/fonts/cff/writer.ts";
import { spelledOut, unicodeOfName } from "../../../../src/document/fonts/names/glyph-names.ts";
import { readCmap } from "../../../../src/document/fonts/truetype/cmap.ts";
import { advanceWidth, outlineOf, readTrueType, unitsPerEm } from "../../../../src/document/fonts/truetype/truetype.ts";
import { changeTrueType, compactTrueType, symbolMap } from "../../../../src/document/fonts/truetype/writer.ts";
import { readType1, type1Width, writeType1 } from "../../../../src/document/fonts/type1/type1.ts";
import { type FontProgram, namedProgram, readProgram } from "../../../../src/document/pdfa/fonts/font-program.ts";
import { bareCff } from "../../../fixtures/font-pdfs.ts";
import { hasMachineFonts, machineFace, machineType1 } from "../../../support/font-provider.ts";

const index = (...entries: number[][]) => readIndex(writeIndex(entries.map((one) => Uint8Array.from(one))), 0);
const NONE = index();
/** Encodes a number from -107 to 107 in one byte. */
const small = (value: number) => value + 139;

describe("widths of Type 2 charstrings", () => {
  const cases: readonly (readonly [what: string, charString: number[], width: number | undefined])[] = [
    ["endchar alone", [14], undefined],
    ["endchar with a width", [small(20), 14], 20],
    ["endchar with an accent's four operands", [small(1), small(2), small(65), small(96), 14], undefined],
    ["rmoveto", [small(1), small(2), 21], undefined],
    ["rmoveto with a width", [small(-9), small(1), small(2), 21], -9],
    ["hmoveto with a width of two bytes", [28, 1, 44, small(5), 22], 300],
    ["stems", [small(1), small(2), small(3), small(4), 18], undefined],
    ["stems with a width", [small(50), small(1), small(2), 1], 50],
    ["a mask with a width", [small(50), small(1), small(2), 19, 0], 50],
  ];
  test.each(cases)("%s", (_, charString, width) => {
    const found = glyphWidth(Uint8Array.from(charString), NONE, NONE);
    expect(found?.width).toBe(width);
    const set = withWidth(Uint8Array.from(charString), 333, NONE, NONE)!;
    expect(glyphWidth(set, NONE, NONE)?.width).toBe(333);
  });

  test("a width that a subroutine says, which others may call, too", () => {
    const subrs = index([small(60), small(1), small(2), 11], [21, 11]);
    const glyph = Uint8Array.from([small(-107), 10, small(-106), 10, 14]);
    expect(glyphWidth(glyph, subrs, NONE)?.width).toBe(60);
    const set = withWidth(glyph, 500, subrs, NONE)!;
    expect(glyphWidth(set, subrs, NONE)?.width).toBe(500);
    expect([...set.slice(-5)]).toEqual([small(1), small(2), small(-106), 10, 14]);
  });

  test.each([
    ["a subroutine that calls itself", index([small(-107), 10]), [small(-107), 10]],
    ["one that is not there", NONE, [small(0), 10]],
    ["nothing", NONE, []],
    ["a number cut off", NONE, [28, 1]],
  ])("%s gives none", (_, subrs, glyph) => {
    expect(glyphWidth(Uint8Array.from(glyph), subrs, NONE)).toBeUndefined();
    expect(withWidth(Uint8Array.from(glyph), 1, subrs, NONE)).toBeUndefined();
  });
});

describe("names of glyphs", () => {
  test.each([
    ["A", "A"],
    ["eacute", "é"],
    ["f_f_i", "ffi"],
    ["ffi", "ffi"],
    ["A.swash", "A"],
    ["uni20AC0308", "€\u0308"],
    ["u1F600", "😀"],
    ["summationdisplay", "∑"],
    ["circlecopyrt", "\u20dd"],
    ["parenleftbigg", "("],
  ])("%s is %s", (name, text) => {
    expect(unicodeOfName(name)).toBe(text);
  });
  test.each([".notdef", "g23", "uniD800", "nosuchname", "", "_"])("%s says nothing", (name) => {
    expect(unicodeOfName(name)).toBeUndefined();
  });
  test("signs of the dingbats have names of their own", () => {
    expect(unicodeOfName("a20", true)).toBe("\u2714");
    expect(unicodeOfName("a20")).toBeUndefined();
    expect(spelledOut("o\ufb03ce")).toBe("office");
  });
});

describe.skipIf(!hasMachineFonts)("programs", () => {
  test("CFF: another width, one more glyph, all others as they were", () => {
    const bytes = bareCff();
    const font = readCff(bytes)!;
    const names = glyphNames(font);
    const [a, space] = [names.indexOf("a"), names.indexOf("space")];
    const all = names.map((name, source) => ({ source, identity: name, width: source === a ? 321 : undefined }));
    const made = readCff(
      writeCff(font, [...all, { source: space, identity: "new", width: 77 }], { keepsEncoding: true })!,
    )!;
    expect(glyphNames(made)).toEqual([...names, "new"]);
    expect(cffWidth(made, a)).toBeCloseTo(321);
    expect(cffWidth(made, names.length)).toBeCloseTo(77);
    for (let glyph = 0; glyph < names.length; glyph++) {
      if (glyph === a) continue;
      expect(Buffer.compare(made.charStrings.at(glyph), font.charStrings.at(glyph))).toBe(0);
    }
  });

  test("CFF: a few glyphs of a large collection take little", () => {
    const face = machineFace("NotoSerifCJK-Regular");
    if (!face) return expect(face, "Noto CJK is not installed").toBeUndefined();
    const view = new DataView(face.buffer, face.byteOffset);
    const directory = view.getUint32(12);
    let table = new Uint8Array(0);
    for (let at = directory + 12; table.length === 0; at += 16) {
      if (view.getUint32(at) === 0x43464620)
        table = face.slice(view.getUint32(at + 8), view.getUint32(at + 8) + view.getUint32(at + 12));
    }
    const font = readCff(table)!;
    const glyphs = [0, 1200, 20_000, 40_000].map((source, at) => ({ source, identity: at * 7, width: 500 }));
    const bytes = writeCff(font, glyphs, { keepsEncoding: false })!;
    expect(bytes.length).toBeLessThan(100_000);
    const made = readCff(bytes)!;
    expect([...made.charset]).toEqual([0, 7, 14, 21]);
    expect([1, 2, 3].map((glyph) => Math.round(cffWidth(made, glyph)!))).toEqual([500, 500, 500]);
  });

  test("Type 1: another width, one more glyph, the rest as it was", () => {
    const font = readType1(machineType1("NimbusSans-Regular")!)!;
    expect(type1Width(font, "a")).toBe(556);
    const added = [{ name: "new", source: "space", width: 123 }];
    const { bytes, lengths } = writeType1(font, { widths: new Map([["a", 400]]), added })!;
    expect(lengths[0] + lengths[1] + lengths[2]).toBe(bytes.length);
    const made = readType1(bytes)!;
    expect([...made.glyphs.keys()].sort()).toEqual([...font.glyphs.keys(), "new"].sort());
    expect([type1Width(made, "a"), type1Width(made, "new")]).toEqual([400, 123]);
    for (const [name, { charString }] of font.glyphs) {
      if (name !== "a") expect(Buffer.compare(made.glyphs.get(name)!.charString, charString)).toBe(0);
    }
  });

  test("Type 1 with the headers that files for PCs have", () => {
    const plain = machineType1("NimbusSans-Regular")!;
    const segment = (kind: number, bytes: Uint8Array) => {
      const head = Buffer.from([0x80, kind, 0, 0, 0, 0]);
      head.writeUInt32LE(bytes.length, 2);
      return Buffer.concat([head, bytes]);
    };
    const cut = Buffer.from(plain).indexOf("eexec") + 6;
    const parted = Buffer.concat([
      segment(1, plain.subarray(0, cut)),
      segment(2, plain.subarray(cut)),
      Buffer.from([0x80, 3]),
    ]);
    expect(readType1(parted)?.glyphs.size).toBe(readType1(plain)!.glyphs.size);
  });

  test("TrueType: other advances, more glyphs, a map of its own", () => {
    const font = readTrueType(machineFace("LiberationSans-Regular")!)!;
    const glyph = readCmap(font)![0]!.glyphOf(0xe9);
    const cmap = symbolMap(new Map([[65, font.glyphCount]]));
    const made = readTrueType(
      changeTrueType(font, { advances: new Map([[5, 99]]), added: [{ source: glyph, advance: 700 }], cmap })!,
    )!;
    expect(made.glyphCount).toBe(font.glyphCount + 1);
    expect([advanceWidth(made, 5), advanceWidth(made, font.glyphCount)]).toEqual([99, 700]);
    expect(outlineOf(made, font.glyphCount)).toEqual(outlineOf(font, glyph));
    const maps = readCmap(made)!;
    expect(maps.map(({ platform, encoding }) => [platform, encoding])).toEqual([[3, 0]]);
    expect(maps[0]!.glyphOf(0xf041)).toBe(font.glyphCount);
    expect([...maps[0]!.entries()]).toEqual([[0xf041, font.glyphCount]]);
  });

  test("TrueType: a few glyphs, with those they are made of", () => {
    const font = readTrueType(machineFace("LiberationSans-Regular")!)!;
    const eacute = readCmap(font)![0]!.glyphOf(0xe9);
    const bytes = compactTrueType(font, [{ source: eacute, advance: 1000 }])!;
    const made = readTrueType(bytes)!;
    expect(bytes.length).toBeLessThan(30_000);
    expect(made.glyphCount).toBe(4);
    expect(advanceWidth(made, 1)).toBe(1000);
    expect(unitsPerEm(made)).toBe(2048);
  });

  test("the entries of a character map are what it gives one by one", () => {
    for (const map of readCmap(readTrueType(machineFace("DejaVuSans")!)!)!) {
      const entries = [...map.entries()];
      expect(entries.length).toBeGreaterThan(200);
      for (const [code, glyph] of entries.slice(0, 3000)) expect(map.glyphOf(code)).toBe(glyph);
    }
  });

  test("the groups of a character map are found in whatever order they stand", () => {
    const mapOf = (groups: readonly (readonly [first: number, last: number, glyph: number])[]) => {
      const cmap = Buffer.alloc(28 + groups.length * 12);
      // The cmap's version, number of tables, platform (Windows), encoding (full Unicode), offset (12), and format
      // (12).
      for (const [index, word] of [0, 1, 3, 10, 0, 12, 12].entries()) cmap.writeUInt16BE(word, index * 2);
      cmap.writeUInt32BE(groups.length, 24);
      for (const [index, long] of groups.flat().entries()) cmap.writeUInt32BE(long, 28 + index * 4);
      return readCmap({ tables: new Map([["cmap", cmap]]) })![0]!;
    };
    const groups = [
      [32, 40, 1],
      [50, 50, 20],
      [70, 90, 30],
      [0x20000, 0x20010, 60],
    ] as const;
    for (const map of [mapOf(groups), mapOf(groups.toReversed())]) {
      const codes = [31, 32, 40, 41, 50, 69, 70, 90, 91, 0x20005, 0x20011];
      expect(codes.map(map.glyphOf)).toEqual([0, 1, 9, 0, 20, 0, 30, 50, 0, 65, 0]);
    }
  });

  test("bytes of any kind bring no reader and no writer to a stop", () => {
    let state = 11;
    const next = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return (state >>> 8) % below;
    };
    const originals = [bareCff(), machineType1("NimbusSans-Regular")!, machineFace("LiberationSans-Regular")!];
    let read = 0;
    for (const original of originals) {
      for (let turn = 0; turn < 60; turn++) {
        const bytes = original.slice(0, turn % 4 === 0 ? next(original.length) : original.length);
        const reach = Math.min(bytes.length, turn % 2 === 0 ? 3000 : bytes.length);
        for (let count = 0; count < 30 && reach > 0; count++) bytes[next(reach)] = next(256);
        const program = tried(() => readProgram(bytes));
        if (!program) continue;
        read++;
        tried(() => changedSomehow(program));
      }
    }
    expect(read).toBeGreaterThan(30);
  });
});

/** Only a read beyond the end can throw; the repair does not change such a font. */
function tried<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function changedSomehow(program: FontProgram): void {
  if (program.kind === "truetype") {
    changeTrueType(program.font, { advances: new Map([[3, 5]]), added: [{ source: 0 }] });
    compactTrueType(program.font, [{ source: 100 }, { source: 200 }]);
    return;
  }
  const named = namedProgram(program);
  const name = [...(named?.names ?? [])].at(-1) ?? "a";
  named?.widthOf(name);
  named?.changed(new Map([[name, 5]]), [{ name: "new", source: ".notdef", width: 7 }]);
}

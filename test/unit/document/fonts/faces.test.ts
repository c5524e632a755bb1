// Tests the reading of font files that clients send, including damaged and hostile ones.
import { expect, test } from "vitest";
import { readFaces } from "../../../../src/document/fonts/truetype/faces.ts";
import { nameTable } from "../../../../src/document/fonts/truetype/name-table.ts";
import { writeSfnt } from "../../../../src/document/fonts/truetype/subset-truetype.ts";

const table = (size: number, values: Readonly<Record<number, number>> = {}): Uint8Array => {
  const bytes = new Uint8Array(size);
  for (const [at, value] of Object.entries(values)) new DataView(bytes.buffer).setUint16(Number(at), value);
  return bytes;
};

/** @param changed tables that replace those of a bold italic font with one glyph, or are missing */
function font(changed: Readonly<Record<string, Uint8Array | undefined>> = {}): Uint8Array {
  const tables: Record<string, Uint8Array | undefined> = {
    "OS/2": table(96, { 4: 700, 6: 3, 62: 0x21 }),
    cmap: table(4),
    glyf: table(2),
    head: table(54, { 12: 0x5f0f, 14: 0x3cf5, 18: 1000 }),
    hhea: table(36),
    hmtx: table(4),
    loca: table(4),
    maxp: table(6, { 4: 1 }),
    name: nameTable({ tables: new Map() }, { family: "Zebra", style: "Bold Italic" }),
    ...changed,
  };
  const kept = Object.entries(tables).flatMap(([tag, bytes]) => (bytes ? [[tag, bytes] as const] : []));
  return writeSfnt(0x00010000, new Map(kept));
}

test("the names and the style of a font", () => {
  const [face, ...others] = readFaces(font())!;
  expect(others).toEqual([]);
  expect(face).toMatchObject({ families: ["Zebra"], weights: [700, 700], isItalic: true, widthClass: 3 });
  expect(face!.fullNames).toEqual(["Zebra Bold Italic", "Zebra-BoldItalic"]);
});

test("the weights of a variable font", () => {
  const weight = { 16: 0x7767, 18: 0x6874, 20: 100, 28: 900 };
  const [face] = readFaces(font({ fvar: table(36, { 4: 16, 8: 1, 10: 20, ...weight }) }))!;
  expect(face!.weights).toEqual([100, 900]);
});

test.each([
  ["text", new TextEncoder().encode("This is no font at all.")],
  ["nothing", new Uint8Array()],
  ["a font without its end", font().subarray(0, -8)],
  ["without a table", font({ hmtx: undefined })],
  ["without outlines", font({ glyf: undefined })],
  ["without a name", font({ name: table(6) })],
  ["outlines without places", font({ maxp: table(6, { 4: 9 }) })],
  ["a collection of 4 billion fonts", Buffer.from(`74746366${"00010000"}ffffffff${"00000010".repeat(9)}`, "hex")],
])("%s is rejected", (_, bytes) => {
  expect(readFaces(bytes)).toBeUndefined();
});

test("damaged bytes never throw", () => {
  const whole = font();
  for (let at = 0; at < whole.length; at++) {
    for (const value of [0, 0x7f, 0xff]) {
      const damaged = whole.slice();
      damaged[at] = value;
      readFaces(damaged);
    }
  }
});

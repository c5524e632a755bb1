// Tests font collections, made of a font among the node modules.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../../../../scripts/services/wrangler.ts";
import { readCollection, writeCollection } from "../../../../src/document/fonts/truetype/collection.ts";
import { readTrueType } from "../../../../src/document/fonts/truetype/truetype.ts";

const SOURCE = `${root}/node_modules/@expo-google-fonts/gelasio/400Regular/Gelasio_400Regular.ttf`;
const bytes = new Uint8Array(readFileSync(SOURCE));
const font = readTrueType(bytes)!;
const other = { ...font, tables: new Map(font.tables).set("name", Uint8Array.of(1, 2, 3)) };

test("members survive writing and reading, and shared tables are written once", () => {
  const written = writeCollection([font, other, font]);
  expect(written.length).toBeLessThan(bytes.length * 1.02);
  const members = readCollection(written)!;
  expect(members.map(({ version }) => version)).toEqual([font.version, font.version, font.version]);
  for (const [index, { tables }] of [font, other, font].entries()) {
    expect(new Map([...members[index]!.tables].sort())).toEqual(new Map([...tables].sort()));
  }
  expect(members[0]!.tables.get("glyf")).toBe(members[1]!.tables.get("glyf"));
  expect(members[0]!.tables.get("name")).not.toBe(members[1]!.tables.get("name"));
});

test("other bytes, and tables outside, are refused", () => {
  expect(readCollection(bytes)).toBeUndefined();
  expect(readCollection(new Uint8Array(4))).toBeUndefined();
  expect(readCollection(writeCollection([font, other]).subarray(0, 2000))).toBeUndefined();
});

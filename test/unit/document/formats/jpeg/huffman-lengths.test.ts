// Tests the lengths of Huffman codes in JPEG.
import { expect, test } from "vitest";
import { optimalTable } from "../../../../../src/document/formats/jpeg/entropy/huffman-lengths.ts";

const counted = (entries: Readonly<Record<number, number>>) => {
  const counts = new Uint32Array(256);
  for (const [symbol, count] of Object.entries(entries)) counts[Number(symbol)] = count;
  return counts;
};

/** Returns the used share of all possible codes: less than 1, because one code is reserved. */
const used = (lengths: Uint8Array) => lengths.reduce((sum, count, index) => sum + count / 2 ** (index + 1), 0);

test("frequent symbols have short codes", () => {
  const { lengths, symbols, bits } = optimalTable(counted({ 7: 100, 3: 50, 9: 20, 1: 1 }));
  expect([...symbols]).toEqual([7, 3, 9, 1]);
  expect([...lengths.subarray(0, 4)]).toEqual([1, 1, 1, 1]);
  expect(bits).toBe(100 + 2 * 50 + 3 * 20 + 4);
});

test("one symbol alone has a code of one bit, which is not all ones", () => {
  const { lengths, symbols } = optimalTable(counted({ 0: 5 }));
  expect([...symbols]).toEqual([0]);
  expect(lengths[0]).toBe(1);
});

test("no code is longer than 16 bits, however unlike the counts are", () => {
  const fibonacci: Record<number, number> = {};
  for (let symbol = 0, a = 1, b = 1; symbol < 40; symbol++, [a, b] = [b, a + b]) fibonacci[symbol] = a;
  const { lengths, symbols } = optimalTable(counted(fibonacci));
  expect(symbols).toHaveLength(40);
  expect(lengths.reduce((sum, count) => sum + count, 0)).toBe(40);
  expect(used(lengths)).toBeLessThan(1);
});

test("all 256 symbols", () => {
  const { lengths, symbols } = optimalTable(new Uint32Array(256).fill(9));
  expect(new Set(symbols).size).toBe(256);
  expect(used(lengths)).toBeLessThan(1);
});

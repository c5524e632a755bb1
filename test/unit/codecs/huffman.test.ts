// Prefix codes: complete, within their limit, decodable, and as short as Huffman's where the limit does not matter.
import { describe, expect, test } from "vitest";
import { canonicalCodes, codeLengths } from "../../../src/codecs/huffman.ts";

function lengthsOf(frequencies: readonly number[], limit: number): Uint8Array {
  const lengths = new Uint8Array(frequencies.length);
  codeLengths(Uint32Array.from(frequencies), limit, lengths);
  return lengths;
}

/** 1 if the code leaves nothing over. */
const kraft = (lengths: Uint8Array) => lengths.reduce((sum, length) => sum + (length > 0 ? 2 ** -length : 0), 0);

describe("code lengths", () => {
  test("are Huffman's", () => {
    expect([...lengthsOf([45, 13, 12, 16, 9, 5], 15)]).toEqual([1, 3, 3, 3, 4, 4]);
  });

  test("are 0 for what does not occur, 1 for a single symbol", () => {
    expect([...lengthsOf([0, 0, 0], 15)]).toEqual([0, 0, 0]);
    expect([...lengthsOf([0, 7, 0], 15)]).toEqual([0, 1, 0]);
    expect([...lengthsOf([3, 0, 9], 15)]).toEqual([1, 0, 1]);
  });

  test.each([
    [5, 30],
    [7, 19],
    [15, 30],
    [15, 22],
  ])("stay within %i bits for %i symbols whose frequencies grow as Fibonacci's", (limit, count) => {
    const frequencies = [1, 1];
    while (frequencies.length < count) frequencies.push(frequencies.at(-1)! + frequencies.at(-2)!);
    const lengths = lengthsOf(frequencies, limit);
    expect(Math.max(...lengths)).toBe(limit);
    expect(Math.min(...lengths)).toBeGreaterThan(0);
    expect(kraft(lengths)).toBe(1);
    for (let i = 1; i < count; i++) expect(lengths[i]).toBeLessThanOrEqual(lengths[i - 1]);
  });
});

test("no code begins with another", () => {
  const lengths = lengthsOf([1, 0, 3, 40, 8, 8, 2, 19, 1, 1, 60], 6);
  const codes = new Uint16Array(lengths.length);
  canonicalCodes(lengths, codes);
  // As they are written: first bit first.
  const written = [...lengths].flatMap((length, symbol) =>
    length === 0 ? [] : [codes[symbol].toString(2).padStart(length, "0").split("").reverse().join("")],
  );
  expect(written.length).toBe(10);
  for (const one of written) for (const other of written) if (one !== other) expect(other.startsWith(one)).toBe(false);
});

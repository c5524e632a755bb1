// Parses a zlib stream (RFC 1950, 1951) and reports its structure, which node:zlib does not report.
import { inflateSync } from "node:zlib";

export interface ZlibTrace {
  /** The decompressed bytes, from node:zlib, which also checks Adler-32. */
  readonly bytes: Buffer;
  /** BTYPE of each block: 0 stored, 1 fixed codes, 2 dynamic codes. */
  readonly blocks: readonly number[];
  /** Lengths and distances of all matches. */
  readonly lengths: ReadonlySet<number>;
  readonly distances: ReadonlySet<number>;
  /** Length of the longest code in a dynamic block. */
  readonly longestCode: number;
}

interface Code {
  /** Symbols by `length << 16 | code`. */
  readonly symbols: ReadonlyMap<number, number>;
  readonly longest: number;
}

/** @throws Error if a code is oversubscribed, or incomplete with more than one symbol, or if a bit is invalid */
export function traceZlib(stream: Buffer): ZlibTrace {
  const blocks: number[] = [];
  const lengths = new Set<number>();
  const distances = new Set<number>();
  let longestCode = 0;
  let at = 16;
  const bits = (count: number): number => {
    let value = 0;
    for (let i = 0; i < count; i++, at++) value += ((stream[at >> 3]! >> (at & 7)) & 1) * 2 ** i;
    return value;
  };
  const symbolOf = ({ symbols, longest }: Code): number => {
    let code = 0;
    for (let length = 1; length <= longest; length++) {
      code = code * 2 + bits(1);
      const symbol = symbols.get((length << 16) | code);
      if (symbol !== undefined) return symbol;
    }
    throw new Error("no such code");
  };
  const dynamicCodes = (): [Code, Code] => {
    const [literals, distanceCount, declared] = [bits(5) + 257, bits(5) + 1, bits(4) + 4];
    const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    const tableLengths = new Array<number>(19).fill(0);
    for (const symbol of order.slice(0, declared)) tableLengths[symbol] = bits(3);
    const table = codeOf(tableLengths);
    const all: number[] = [];
    while (all.length < literals + distanceCount) {
      const symbol = symbolOf(table);
      if (symbol < 16) all.push(symbol);
      else if (symbol === 16) all.push(...new Array<number>(3 + bits(2)).fill(all.at(-1) as number));
      else all.push(...new Array<number>(symbol === 17 ? 3 + bits(3) : 11 + bits(7)).fill(0));
    }
    longestCode = Math.max(longestCode, ...all);
    return [codeOf(all.slice(0, literals)), codeOf(all.slice(literals))];
  };
  for (let isLast = false; !isLast; ) {
    isLast = bits(1) === 1;
    const type = bits(2);
    blocks.push(type);
    if (type === 0) {
      at = (at + 7) & ~7;
      const count = bits(16);
      if (bits(16) !== (count ^ 0xffff)) throw new Error("LEN and NLEN disagree");
      at += 8 * count;
      continue;
    }
    const [literalCode, distanceCode] = type === 1 ? FIXED : dynamicCodes();
    for (let symbol = symbolOf(literalCode); symbol !== 256; symbol = symbolOf(literalCode)) {
      if (symbol < 256) continue;
      const extra = symbol < 265 || symbol === 285 ? 0 : (symbol - 261) >> 2;
      const base = symbol < 265 ? symbol - 254 : symbol === 285 ? 258 : ((4 + ((symbol - 1) & 3)) << extra) + 3;
      lengths.add(base + bits(extra));
      const distance = symbolOf(distanceCode);
      const more = distance < 4 ? 0 : (distance >> 1) - 1;
      distances.add((distance < 4 ? distance : (2 + (distance & 1)) << more) + 1 + bits(more));
    }
  }
  return { bytes: inflateSync(stream), blocks, lengths, distances, longestCode };
}

/** Builds a Huffman code from code lengths (RFC 1951, 3.2.2). */
function codeOf(lengths: readonly number[]): Code {
  const symbols = new Map<number, number>();
  let code = 0;
  for (let length = 1; length <= 15; length++, code *= 2) {
    lengths.forEach((one, symbol) => {
      if (one === length) symbols.set((length << 16) | code++, symbol);
    });
  }
  if (code > 2 ** 16 || (code < 2 ** 16 && symbols.size > 1)) throw new Error("a code is not complete");
  return { symbols, longest: Math.max(0, ...lengths) };
}

/** The fixed Huffman codes (RFC 1951, 3.2.6). */
const FIXED: [Code, Code] = [
  codeOf(Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8))),
  codeOf(new Array<number>(32).fill(5)),
];

// Computes optimal Huffman tables from symbol counts (ITU-T T.81 annex K.2).

/** A table as in the DHT marker. */
export interface OptimalTable {
  /** BITS: number of codes of each length from 1 to 16. */
  readonly lengths: Uint8Array;
  /** HUFFVAL. */
  readonly symbols: Uint8Array;
  /** Total bits of the codes of all symbols. */
  readonly bits: number;
}

const LONGEST = 16;

/**
 * Returns the optimal table for 8-bit symbols. Codes have at most 16 bits, and the code of all ones is unused (T.81
 * C.2).
 * @param counts 256 counts
 */
export function optimalTable(counts: Uint32Array): OptimalTable {
  const present = Array.from(counts.keys()).filter((symbol) => counts[symbol]! > 0);
  // A dummy symbol gets the longest code, so that the code of all ones stays unused.
  const leaves = [{ symbol: -1, count: 0 }, ...present.map((symbol) => ({ symbol, count: counts[symbol]! }))];
  leaves.sort((a, b) => a.count - b.count || a.symbol - b.symbol);
  const lengthsOf = limitedLengths(leaves.map(({ count }) => count));
  const lengths = new Uint8Array(LONGEST);
  const coded: { readonly symbol: number; readonly length: number }[] = [];
  let bits = 0;
  leaves.forEach(({ symbol, count }, index) => {
    const length = lengthsOf[index]!;
    if (symbol < 0) return;
    lengths[length - 1]!++;
    coded.push({ symbol, length });
    bits += count * length;
  });
  coded.sort((a, b) => a.length - b.length || a.symbol - b.symbol);
  return { lengths, symbols: Uint8Array.from(coded, ({ symbol }) => symbol), bits };
}

/**
 * Returns the code lengths of an optimal code, limited to {@link LONGEST}, by package-merge (Larmore and Hirschberg
 * 1990).
 * @param counts in ascending order
 */
function limitedLengths(counts: readonly number[]): number[] {
  if (counts.length === 1) return [1];
  const leaves = counts.map((count, leaf) => ({ count, leaves: [leaf] }));
  let packages = leaves;
  for (let level = 1; level < LONGEST; level++) {
    const pairs = Array.from({ length: packages.length >> 1 }, (_, pair) => {
      const [a, b] = [packages[2 * pair]!, packages[2 * pair + 1]!];
      return { count: a.count + b.count, leaves: a.leaves.concat(b.leaves) };
    });
    packages = leaves.concat(pairs).sort((a, b) => a.count - b.count);
  }
  const lengths = new Array<number>(counts.length).fill(0);
  for (const { leaves } of packages.slice(0, 2 * counts.length - 2)) for (const leaf of leaves) lengths[leaf]!++;
  return lengths;
}

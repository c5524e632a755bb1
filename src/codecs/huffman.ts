// Prefix codes of DEFLATE (RFC 1951 section 3.2.2): lengths from frequencies, codes from lengths. Knows nothing of blocks.

/**
 * Code lengths of a prefix code that is close to the shortest one under a limit.
 * Symbols that do not occur get length 0; a single symbol gets length 1.
 * @param frequencies - how often each symbol occurs
 * @param limit - longest code allowed, in bits
 * @param lengths - receives the lengths, as long as `frequencies`
 */
export function codeLengths(frequencies: Uint32Array, limit: number, lengths: Uint8Array): void {
  lengths.fill(0);
  // Sorted as one array of numbers, frequency above symbol, because a comparator is slow; a block has fewer than 2^20 tokens.
  const sorted = new Float64Array(frequencies.length);
  let used = 0;
  for (let symbol = 0; symbol < frequencies.length; symbol++) {
    if (frequencies[symbol] > 0) sorted[used++] = frequencies[symbol] * 512 + symbol;
  }
  if (used === 0) return;
  const leaves = sorted.subarray(0, used).sort();
  if (used === 1) {
    lengths[leaves[0] % 512] = 1;
    return;
  }
  const counts = depthCounts(leaves, limit);
  // The rarest symbols take the longest codes.
  let next = 0;
  for (let length = limit; length > 0; length--) {
    for (let k = counts[length]; k > 0; k--) lengths[leaves[next++] % 512] = length;
  }
}

/** How many leaves of Huffman's tree lie at each depth, none deeper than `limit`. */
function depthCounts(leaves: Float64Array, limit: number): Uint32Array {
  const used = leaves.length;
  const weight = new Float64Array(used - 1);
  const parentOfNode = new Uint16Array(used - 1);
  const parentOfLeaf = new Uint16Array(used);
  let leaf = 0;
  let node = 0;
  // Two queues: leaves in order of frequency, and inner nodes, which come into being in order of weight.
  for (let made = 0; made < used - 1; made++) {
    let sum = 0;
    for (let child = 0; child < 2; child++) {
      const leafWeight = leaf < used ? Math.floor(leaves[leaf] / 512) : Number.POSITIVE_INFINITY;
      if (node < made && weight[node] < leafWeight) {
        sum += weight[node];
        parentOfNode[node++] = made;
      } else {
        sum += leafWeight;
        parentOfLeaf[leaf++] = made;
      }
    }
    weight[made] = sum;
  }
  const depth = new Uint16Array(used - 1);
  for (let inner = used - 3; inner >= 0; inner--) depth[inner] = depth[parentOfNode[inner]] + 1;
  const counts = new Uint32Array(limit + 1);
  let kraft = 0;
  for (let i = 0; i < used; i++) {
    const length = Math.min(limit, depth[parentOfLeaf[i]] + 1);
    counts[length]++;
    kraft += 2 ** (limit - length);
  }
  // Cutting the deepest leaves oversubscribes the code: hang one of the deepest beside a shorter one until it fits again.
  while (kraft > 2 ** limit) {
    let length = limit - 1;
    while (counts[length] === 0) length--;
    counts[length]--;
    counts[length + 1] += 2;
    counts[limit]--;
    kraft--;
  }
  return counts;
}

/**
 * Canonical codes, bits reversed so that they can be written least significant bit first (RFC 1951 section 3.1.1).
 * @param codes - receives the codes, as long as `lengths`
 */
export function canonicalCodes(lengths: Uint8Array, codes: Uint16Array): void {
  const next = new Uint16Array(17);
  for (const length of lengths) if (length > 0) next[length + 1]++;
  for (let bits = 2; bits < 17; bits++) next[bits] = (next[bits - 1] + next[bits]) << 1;
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol];
    if (length === 0) continue;
    let code = next[length]++;
    let reversed = 0;
    for (let bit = 0; bit < length; bit++) {
      reversed = (reversed << 1) | (code & 1);
      code >>= 1;
    }
    codes[symbol] = reversed;
  }
}

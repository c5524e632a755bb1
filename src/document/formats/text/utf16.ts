// Recognizes UTF-16 without a byte order mark.

/** Least part of a text's byte pairs that have a zero in the same place. */
const ZERO_PART = 0.3;

/** Returns UTF-16 for a text without a byte order mark whose ASCII characters have a zero in the same place. */
export function pairedZeros(start: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const pairs = Math.floor(start.length / 2);
  if (pairs < 2) return undefined;
  let [even, odd] = [0, 0];
  for (let at = 0; at + 1 < start.length; at += 2) {
    if (start[at] === 0 && start[at + 1] === 0) return undefined;
    if (start[at] === 0) even++;
    if (start[at + 1] === 0) odd++;
  }
  if (odd >= pairs * ZERO_PART && even === 0) return "utf-16le";
  return even >= pairs * ZERO_PART && odd === 0 ? "utf-16be" : undefined;
}

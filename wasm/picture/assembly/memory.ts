// Manages the memory of one picture: allocated from the bottom up, never freed piece by piece, released all at once.

const PAGE_BITS: i32 = 16;
/** Bytes beyond an area that vectors may read and write. */
const SLACK: usize = 64;

/** Address of the next piece. */
export let top: usize = (__heap_base + 15) & ~15;

/** Releases every piece. */
export function reset(): void {
  top = (__heap_base + 15) & ~15;
}

/** Grows the memory so that it has bytes up to this address. Traps if there is no more. */
export function reserve(end: usize): void {
  const missing = <i32>((end + SLACK + (1 << PAGE_BITS) - 1) >> PAGE_BITS) - memory.size();
  // Grows in steps, so that many small pieces do not each make a new buffer.
  if (missing > 0 && memory.grow(max(missing, 16)) < 0 && memory.grow(missing) < 0) unreachable();
}

/** Allocates zeroed bytes. @returns their address, a multiple of 16 */
export function allocate(bytes: usize): usize {
  const at = top;
  top = (at + bytes + 15) & ~15;
  reserve(top);
  memory.fill(at, 0, top - at);
  return at;
}

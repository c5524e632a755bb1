// Memory of one picture: handed out from the bottom up, never given back piece by piece, forgotten all at once.

const PAGE_BITS: i32 = 16;
/** Vectors are read and written whole, past the end of what they mean. */
const SLACK: usize = 64;

/** Where the next piece begins. */
export let top: usize = (__heap_base + 15) & ~15;

/** Forgets every piece. */
export function reset(): void {
  top = (__heap_base + 15) & ~15;
}

/** Grows the memory so that it has bytes up to this address. Traps where there is no more. */
export function reserve(end: usize): void {
  const missing = <i32>((end + SLACK + (1 << PAGE_BITS) - 1) >> PAGE_BITS) - memory.size();
  // In steps, so that many small pieces do not each make a new buffer.
  if (missing > 0 && memory.grow(max(missing, 16)) < 0 && memory.grow(missing) < 0) unreachable();
}

/** @returns the address of so many bytes, zero each, on a multiple of 16 */
export function allocate(bytes: usize): usize {
  const at = top;
  top = (at + bytes + 15) & ~15;
  reserve(top);
  memory.fill(at, 0, top - at);
  return at;
}

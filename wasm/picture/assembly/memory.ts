// Memory of one image: allocated upwards, never freed individually, released all at once.

const PAGE_BITS: i32 = 16;
/** Bytes after an area that vector instructions can read and write. */
const SLACK: usize = 64;

/** Address of the next allocation. */
export let top: usize = (__heap_base + 15) & ~15;

/** Releases all allocations. */
export function reset(): void {
  top = (__heap_base + 15) & ~15;
}

/** Grows the memory up to an address. Traps if there is no more memory. */
export function reserve(end: usize): void {
  const missing = <i32>((end + SLACK + (1 << PAGE_BITS) - 1) >> PAGE_BITS) - memory.size();
  // Grows in large steps, because each growth creates a new buffer.
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

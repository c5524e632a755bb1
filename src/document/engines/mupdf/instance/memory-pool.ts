// Reuses the memory of a closed engine for the next one. The platform counts memory until garbage collection, so the
// unused memories of a few engines would fill an isolate.

import { MEMORY_PAGES } from "../../../../../wasm/dist/mupdf-glue.js";

/**
 * Maximum size of a memory that is reused, because a memory never shrinks. Larger memories are left to the garbage
 * collector.
 */
const KEPT_BYTES = 26 * 2 ** 20;

/** A power of two, like the size of a memory. */
const ZEROS = new Uint8Array(2 ** 14);

let spareMemory: WebAssembly.Memory | undefined;

/** Returns a zeroed memory that no other engine can access. */
export function acquireMemory(): WebAssembly.Memory {
  const memory = spareMemory;
  spareMemory = undefined;
  if (!memory) return new WebAssembly.Memory(MEMORY_PAGES);
  // Growing by zero pages detaches the views of the previous engine.
  memory.grow(0);
  clear(new Uint8Array(memory.buffer));
  return memory;
}

/** Writes only where bytes differ from 0, because the system provides memory for pages that were written. */
function clear(bytes: Uint8Array): void {
  for (let address = 0; address < bytes.length; address += ZEROS.length) {
    const part = bytes.subarray(address, address + ZEROS.length);
    if (Buffer.compare(part, ZEROS) !== 0) part.fill(0);
  }
}

/** Returns the memory of a closed engine to the pool. */
export function releaseMemory(memory: WebAssembly.Memory): void {
  if (memory.buffer.byteLength <= KEPT_BYTES) spareMemory = memory;
}

/** Bytes of a memory at an address. */
export type Block = readonly [address: number, bytes: Uint8Array];
const BLOCK_BYTES = 1024;

/** Returns copies of the blocks of a memory that differ from another memory of the same size. */
export function differences(before: Uint8Array, after: Uint8Array): Block[] {
  const blocks: Block[] = [];
  for (let address = 0; address < after.length; address += BLOCK_BYTES) {
    const block = after.subarray(address, address + BLOCK_BYTES);
    if (Buffer.compare(block, before.subarray(address, address + BLOCK_BYTES)) !== 0)
      blocks.push([address, block.slice()]);
  }
  return blocks;
}

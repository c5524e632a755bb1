// Reuses the memory of a closed engine for the next one. The platform counts memory until garbage collection, so the
// unused memories of a few engines would fill an isolate.

import { MEMORY_PAGES } from "../../../../../wasm/dist/mupdf-glue.js";

/**
 * Maximum size of a memory that is reused, because a memory never shrinks. Larger memories are left to the garbage
 * collector.
 */
const KEPT_BYTES = 26 * 2 ** 20;

let spareMemory: WebAssembly.Memory | undefined;

/** Returns a zeroed memory that no other engine can access. */
export function acquireMemory(): WebAssembly.Memory {
  const memory = spareMemory;
  spareMemory = undefined;
  if (!memory) return new WebAssembly.Memory(MEMORY_PAGES);
  // Growing by zero pages detaches the views of the previous engine.
  memory.grow(0);
  new Uint8Array(memory.buffer).fill(0);
  return memory;
}

/** Returns the memory of a closed engine to the pool. */
export function releaseMemory(memory: WebAssembly.Memory): void {
  if (memory.buffer.byteLength <= KEPT_BYTES) spareMemory = memory;
}

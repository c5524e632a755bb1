// Keeps the memory of an engine that was closed for the next engine. The platform counts memory that waits for the
// garbage collector, and that of a few engines would fill an isolate. Knows nothing about engines.

import { MEMORY_PAGES } from "../../../../../wasm/dist/mupdf-glue.js";

/** Larger ones are left to the garbage collector: a memory never shrinks. */
const KEPT_BYTES = 26 * 2 ** 20;

let kept: WebAssembly.Memory | undefined;

/** Returns a memory in which all bytes are 0. Nobody else can see it any more. */
export function acquireMemory(): WebAssembly.Memory {
  const memory = kept;
  kept = undefined;
  if (!memory) return new WebAssembly.Memory(MEMORY_PAGES);
  // Detaches the views that the engine before has given away.
  memory.grow(0);
  new Uint8Array(memory.buffer).fill(0);
  return memory;
}

/** Takes the memory of an engine that does not run any more. */
export function releaseMemory(memory: WebAssembly.Memory): void {
  if (memory.buffer.byteLength <= KEPT_BYTES) kept = memory;
}

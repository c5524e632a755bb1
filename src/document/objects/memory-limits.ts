// Divides the memory of a job between the engine and the objects. Knows nothing about operations.

const MIB = 2 ** 20;
/** Part of the memory for the engine, which starts with 22 MiB and grows with the document. */
const ENGINE_PART = 0.6;
/** Limits the memory for objects: if there is much memory, JavaScript can use less of it than an engine. */
const MAX_OBJECT_BYTES = 320 * MIB;

export interface MemoryLimits {
  /** Limits the size of the engine's heap. */
  readonly engineBytes: number;
  /** Limits the memory of the JavaScript objects of all files together. */
  readonly objectBytes: number;
}

/** @param heapLimitBytes the limit in an operation's context */
export function memoryLimitsOf(heapLimitBytes: number): MemoryLimits {
  const engineBytes = Math.floor(heapLimitBytes * ENGINE_PART);
  return { engineBytes, objectBytes: Math.min(heapLimitBytes - engineBytes, MAX_OBJECT_BYTES) };
}

// Divides the memory of a job between the engine and JavaScript objects.

const MIB = 2 ** 20;
/** Fraction of the memory for the engine, which starts with 22 MiB and grows with the document. */
const ENGINE_PART = 0.6;
/** Maximum memory for objects, even if the job can use more: the JavaScript heap cannot grow as large as an engine. */
const MAX_OBJECT_BYTES = 320 * MIB;

export interface MemoryLimits {
  /** Maximum heap of the engine. */
  readonly engineBytes: number;
  /** Maximum memory of the JavaScript objects of all files. */
  readonly objectBytes: number;
}

/** @param heapLimitBytes `heapLimitBytes` of the operation's context */
export function memoryLimitsOf(heapLimitBytes: number): MemoryLimits {
  const engineBytes = Math.floor(heapLimitBytes * ENGINE_PART);
  return { engineBytes, objectBytes: Math.min(heapLimitBytes - engineBytes, MAX_OBJECT_BYTES) };
}

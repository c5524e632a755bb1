// How the memory that a job may take is divided among the engine and the objects. Knows no operation.

const MIB = 2 ** 20;
/** An engine starts with 22 MiB; what a document makes it take comes on top. */
const ENGINE_PART = 0.6;
/** Where there is much memory JavaScript has less of it than an engine can take. */
const MAX_OBJECT_BYTES = 320 * MIB;

export interface Room {
  /** The most bytes the engine's heap may grow to. */
  readonly engineBytes: number;
  /** For objects as JavaScript has them, of all files together. */
  readonly objectBytes: number;
}

/** @param heapLimitBytes as an operation's context has it */
export function roomOf(heapLimitBytes: number): Room {
  const engineBytes = Math.floor(heapLimitBytes * ENGINE_PART);
  return { engineBytes, objectBytes: Math.min(heapLimitBytes - engineBytes, MAX_OBJECT_BYTES) };
}

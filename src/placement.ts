// Where a job runs: what it needs against what an isolate has. Knows no operation by name.
import { fileTooLarge } from "./errors.ts";

/** Workers end an isolate at 128 MB, which hold everything: code, requests, buffers, the Wasm heap and the input. */
const ISOLATE_BYTES = 128 * 2 ** 20;
/** Our code and its compiled data, a part being stored, an encoder's buffers, other requests' uploads. */
const BESIDE_THE_ENGINE_BYTES = 32 * 2 ** 20;
/** An engine that opens a document of the largest size needs at least this much (measured: 22 MiB to start with). */
const SMALLEST_HEAP_BYTES = 56 * 2 ** 20;
const LARGEST_HEAP_BYTES = 88 * 2 ** 20;

/** The largest sum of inputs that an operation which holds its inputs in memory can take at the edge. */
const EDGE_INPUT_BYTES = ISOLATE_BYTES - BESIDE_THE_ENGINE_BYTES - SMALLEST_HEAP_BYTES;

/**
 * @param inputBytes sizes of all inputs, which the operation holds in memory beside the engine's heap
 * @returns the most bytes the engine's heap may grow to
 * @throws ServiceError 413 where the inputs leave no room for an engine
 */
export function edgeHeapLimit(inputBytes: number): number {
  if (inputBytes > EDGE_INPUT_BYTES) throw fileTooLarge(EDGE_INPUT_BYTES);
  return Math.min(LARGEST_HEAP_BYTES, ISOLATE_BYTES - BESIDE_THE_ENGINE_BYTES - inputBytes);
}

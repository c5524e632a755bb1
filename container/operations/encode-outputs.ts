// Encodes the answer of an operation, and describes its errors for the log.

import { EngineFailure, OutOfRange } from "../../src/document/contract/failure.ts";
import type { Output } from "../../src/document/contract/operation.ts";
import { encodeResponse } from "../../src/service/placement/remote.ts";

/** Returns the frames of the answer, and logs the failure, if any. */
export const encodeOutputs = (
  outputs: Iterable<Output> | AsyncIterable<Output>,
  log: (message: string, details?: Record<string, unknown>) => void,
): AsyncGenerator<Uint8Array<ArrayBuffer>> =>
  encodeResponse(outputs, (error) => log("job failed", describeError(error)));

/** Describes an error for the log, with its origin unless it was thrown on purpose. */
export function describeError(error: unknown): Record<string, unknown> {
  const isKnown = error instanceof EngineFailure || error instanceof OutOfRange;
  return { error: String(error), ...(isKnown ? {} : { stack: (error as Error).stack }) };
}

// Encodes the response of an operation, and formats its errors for the log.

import { EngineFailure, OutOfRange } from "../../src/document/contract/failure.ts";
import type { Output } from "../../src/document/contract/operation.ts";
import { encodeResponse } from "../../src/service/placement/remote.ts";

/** Returns the frames of the response, and logs a failure. */
export const encodeOutputs = (
  outputs: Iterable<Output> | AsyncIterable<Output>,
  log: (message: string, details?: Record<string, unknown>) => void,
): AsyncGenerator<Uint8Array<ArrayBuffer>> =>
  encodeResponse(outputs, (error) => log("job failed", describeError(error)));

/** Formats an error for the log. Includes the stack only if the error is unexpected. */
export function describeError(error: unknown): Record<string, unknown> {
  const isKnown = error instanceof EngineFailure || error instanceof OutOfRange;
  return { error: String(error), ...(isKnown ? {} : { stack: (error as Error).stack }) };
}

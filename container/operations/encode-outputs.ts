// Encodes the response of an operation, and formats its errors for the log.

import type { Output } from "../../src/document/contract/operation.ts";
import { describeError } from "../../src/runtime/log-line.ts";
import { encodeResponse } from "../../src/service/placement/remote.ts";

/** Returns the frames of the response, and logs a failure. */
export const encodeOutputs = (
  outputs: Iterable<Output> | AsyncIterable<Output>,
  log: (message: string, details?: Record<string, unknown>) => void,
): AsyncGenerator<Uint8Array<ArrayBuffer>> =>
  encodeResponse(outputs, (error) => log("job failed", describeError(error)));

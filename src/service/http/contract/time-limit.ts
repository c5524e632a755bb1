// Limits the time of a request's work by aborting its signal.

import { EngineFailure } from "../../../document/contract/failure.ts";

/** Aborts after the time, with a failure that the client sees as 504, unless it is disposed of first. */
export function abortAfter(timeoutMs: number, controller: AbortController): Disposable {
  const tooLate = () => controller.abort(new EngineFailure("timed-out", `not done after ${timeoutMs} ms`));
  const timer = setTimeout(tooLate, timeoutMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

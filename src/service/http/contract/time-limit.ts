// Limits the duration of work by aborting its signal.

import { EngineFailure } from "../../../document/contract/failure.ts";

/**
 * Aborts the controller after the timeout, unless disposed before. The reason is a failure that becomes a 504 response.
 */
export function abortAfter(timeoutMs: number, controller: AbortController): Disposable {
  const tooLate = () => controller.abort(new EngineFailure("timed-out", `not done after ${timeoutMs} ms`));
  const timer = setTimeout(tooLate, timeoutMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

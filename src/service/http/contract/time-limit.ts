// Limits the duration of work by aborting its signal.

import { EngineFailure } from "../../../document/contract/failure.ts";

/** Aborts when the time is up, with a failure that becomes a 504 response, unless disposed before. */
export function abortAfter(timeoutMs: number, controller: AbortController): Disposable {
  const tooLate = () => controller.abort(new EngineFailure("timed-out", `not done after ${timeoutMs} ms`));
  const timer = setTimeout(tooLate, timeoutMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

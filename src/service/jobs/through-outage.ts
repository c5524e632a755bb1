// Repeats calls of work that is done, or whose outcome is unknown, while the database of the hosts is away.

import { delay } from "../../runtime/delay.ts";
import { RecordsUnavailable } from "../ports/records-unavailable.ts";

const PAUSE_MS = 500;

/**
 * @param call has the same effect once and several times
 * @throws the last error of `call` when the time is over, or an error other than RecordsUnavailable at once
 */
export async function throughOutage<T>(limitMs: number, call: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + limitMs; ; await delay(PAUSE_MS)) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof RecordsUnavailable) || Date.now() + PAUSE_MS > until) throw error;
    }
  }
}

// Retries a job once if its container was lost.

import type { Context } from "../../document/contract/operation.ts";
import type { ConnectedContainer } from "./connection.ts";

export interface RetryOptions extends Pick<Context, "signal" | "log"> {
  readonly container: ConnectedContainer | undefined;
  /** Deletes the results of the failed attempt. */
  rollback?(): Promise<void>;
}

/**
 * Runs a job. If its container is lost, runs the job again: on another instance, or on the same container when it
 * responds again.
 */
export async function retryIfLost<T>(
  carryOut: () => Promise<T>,
  { container, signal, log, rollback }: RetryOptions,
): Promise<T> {
  try {
    return await carryOut();
  } catch (error) {
    if (!(await container?.prepareRetry(error, signal))) throw error;
    log("job retried", { error: String(error) });
    await rollback?.();
    return carryOut();
  }
}

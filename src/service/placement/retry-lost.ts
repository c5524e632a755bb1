// Retries a job whose container was lost.

import type { Context } from "../../document/contract/operation.ts";
import type { ConnectedContainer } from "./connection.ts";

export interface RetryOptions extends Pick<Context, "signal" | "log"> {
  readonly container: ConnectedContainer | undefined;
  /** Deletes the results of the failed attempt. */
  rollback?(): Promise<void>;
}

/** Retries the job once: on another instance, or after a limited wait for the container to return. */
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

// Retries a job that its container failed.

import type { Context } from "../core/operation.ts";
import type { ConnectedContainer } from "../placement/connection.ts";

export interface Retrying extends Pick<Context, "signal" | "log"> {
  readonly container: ConnectedContainer | undefined;
  /** Undoes what the failed attempt left. */
  undo?(): Promise<void>;
}

/** Retries the job once: on another instance, or after a limited wait for the container to return. */
export async function onceMoreIfLost<T>(
  carryOut: () => Promise<T>,
  { container, signal, log, undo }: Retrying,
): Promise<T> {
  try {
    return await carryOut();
  } catch (error) {
    if (!(await container?.comesBack(error, signal))) throw error;
    log("job retried", { error: String(error) });
    await undo?.();
    return carryOut();
  }
}

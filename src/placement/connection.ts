// Describes the connection of a request to the container, whether it has an address or the platform runs it.

import type { Container, Signature } from "../core/operation.ts";

export interface ConnectedContainer extends Container {
  /**
   * Prepares another attempt at a job that failed: waits, for a limited time, for a lost container, or turns to another
   * instance.
   * @returns false if another attempt would be pointless
   * @throws the signal's reason when aborted
   */
  comesBack(error: unknown, signal: AbortSignal): Promise<boolean>;
  /** Starts an instance ahead of a job of this kind, which will come when its upload has arrived. */
  startAhead(operation: Pick<Signature<unknown>, "internet">): void;
}

/** The request on whose behalf the container works. */
export interface Caller {
  readonly requestId: string;
  /** Distinguishes the requests of one client from those of others, and has no other meaning. */
  readonly client: string;
  /** Lets work go on after the response. */
  waitUntil(work: Promise<unknown>): void;
}

// Describes the connection of a request to the container, whether it has an address or the platform runs it.

import type { ContainerClient, OperationDeclaration } from "../../document/contract/operation.ts";
import type { Span } from "../../document/contract/trace.ts";

export interface ConnectedContainer extends ContainerClient {
  /**
   * Prepares another attempt at a job that failed: waits, for a limited time, for a lost container, or turns to another
   * instance.
   * @returns false if another attempt would be pointless
   * @throws the signal's reason when aborted
   */
  prepareRetry(error: unknown, signal: AbortSignal): Promise<boolean>;
  /** Starts an instance ahead of a job of this kind, which will come when its upload has arrived. */
  prewarm(operation: Pick<OperationDeclaration<unknown>, "internet">): void;
}

interface CallerTrace {
  /** Header fields that make the container's work a part of the trace. */
  readonly headers: Readonly<Record<string, string>>;
  /** Takes the spans that the container reports. */
  received(spans: readonly Span[]): void;
}

/** The request on whose behalf the container works. */
export interface JobOrigin {
  readonly requestId: string;
  /** Distinguishes the requests of one client from those of others, and has no other meaning. */
  readonly client: string;
  /** The trace of the request. @default it has none */
  readonly trace?: CallerTrace;
  /** Lets work go on after the response. */
  waitUntil(work: Promise<unknown>): void;
}

/** Returns the header fields with which a container gets the request's name, its client and its trace. */
export const originHeaders = ({ requestId, client, trace }: JobOrigin): Record<string, string> => ({
  ...{ "X-Request-Id": requestId, "X-Client": client },
  ...trace?.headers,
});

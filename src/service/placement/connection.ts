// Defines a request's connection to the container. The container has a URL, or is an instance of the platform.

import type { ContainerClient, OperationDeclaration } from "../../document/contract/operation.ts";
import type { Span } from "../../document/contract/trace.ts";

export interface ConnectedContainer extends ContainerClient {
  /**
   * Prepares the retry of a failed job: waits for a limited time until a lost container responds again, or switches to
   * another instance.
   * @returns false if a retry is pointless
   * @throws the signal's reason when aborted
   */
  prepareRetry(error: unknown, signal: AbortSignal): Promise<boolean>;
  /** Starts an instance in advance, while the input of its job is still being uploaded. */
  prewarm(operation: Pick<OperationDeclaration<unknown>, "internet">): void;
}

interface CallerTrace {
  /** Headers that add the container's spans to the trace. */
  readonly headers: Readonly<Record<string, string>>;
  /** Receives the spans that the container reports. */
  received(spans: readonly Span[]): void;
}

/** The request for which the container runs a job. */
export interface JobOrigin {
  readonly requestId: string;
  /** Distinguishes clients for fair scheduling. Has no other meaning. */
  readonly client: string;
  /** ID that certainly stands for one client: of a key, or of an address that no proxy hides. @default there is none */
  readonly oneClient?: string | undefined;
  /** Trace of the request. @default none */
  readonly trace?: CallerTrace;
  /** Keeps work running after the response. */
  waitUntil(work: Promise<unknown>): void;
}

/** Name of the header that tells the container {@link JobOrigin.oneClient}. */
export const ONE_CLIENT_HEADER = "X-One-Client";

/** Returns the headers that identify request, client and trace for the container. */
export const originHeaders = ({ requestId, client, oneClient, trace }: JobOrigin): Record<string, string> => ({
  ...{ "X-Request-Id": requestId, "X-Client": client },
  ...(oneClient === undefined ? {} : { [ONE_CLIENT_HEADER]: oneClient }),
  ...trace?.headers,
});

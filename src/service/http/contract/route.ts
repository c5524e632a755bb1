// Defines a route whose answer is not that of an operation: it has no job and no output.

import type { Config } from "../../settings/config.ts";
import type { Reservation } from "../../storage/memory-quota.ts";
import type { BodyLimits } from "./body-size.ts";
import type { Describe, PathDescription } from "./description.ts";
import type { RequestServices } from "./endpoint.ts";
import type { Form } from "./form.ts";

/** A POST of its own kind, which both variants have. */
export interface Route {
  /** Path, with a leading slash. */
  readonly path: string;
  /** Returns what the body of a request may have. */
  bodyLimits(headers: Headers, config: Config): BodyLimits;
  describe(...deployment: Parameters<Describe>): Omit<PathDescription, "path">;
  /** @param fingerprintParts what else makes the request another one if it changes */
  serve(request: Request, service: RequestServices, fingerprintParts?: readonly string[]): Promise<Response>;
  /** The same in two parts, of which the client need not wait for the second. @default there is no second part */
  readonly deferred?: DeferredHandler;
}

export interface DeferredHandler {
  /** Reports whether a request with these header fields may have a second part. */
  applies(headers: Headers): boolean;
  receive(request: Request, service: RequestServices, memory: ReceiveOptions): Promise<Form>;
  /** @throws ServiceError 4xx for what is wrong with the form */
  check(form: Form, signal: AbortSignal, service: RequestServices): Promise<void>;
  /** @param form may be one that was stored in between */
  carryOut(form: Form, service: RequestServices, memory: DeferredRunOptions): Promise<Response>;
}

export interface ReceiveOptions {
  readonly uploadReservation: Reservation;
  readonly batchReservation: Reservation;
  readonly held: Reservation;
  readonly signal: AbortSignal;
}

export interface DeferredRunOptions extends Pick<ReceiveOptions, "uploadReservation" | "signal"> {
  /** Aborted when fetching takes too long. */
  readonly deadline: AbortController;
}

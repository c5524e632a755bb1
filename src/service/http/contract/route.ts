// Defines a route that runs no operation: it has no job and no output.

import type { Config } from "../../settings/config.ts";
import type { Reservation } from "../../storage/memory-quota.ts";
import type { BodyLimits } from "./body-size.ts";
import type { Describe, PathDescription } from "./description.ts";
import type { RequestServices } from "./endpoint.ts";
import type { Form } from "./form.ts";

/** A POST without an operation, available in both variants. */
export interface Route {
  /** Path, with a leading slash. */
  readonly path: string;
  /** Returns the body limits of a request. */
  bodyLimits(headers: Headers, config: Config): BodyLimits;
  describe(...deployment: Parameters<Describe>): Omit<PathDescription, "path">;
  /** @param fingerprintParts additional values that identify the request for idempotency */
  serve(request: Request, service: RequestServices, fingerprintParts?: readonly string[]): Promise<Response>;
  /** The same as two steps; the client need not wait for the second. @default a single step */
  readonly deferred?: DeferredHandler;
}

export interface DeferredHandler {
  /** Reports whether a request with these headers can have a second step. */
  applies(headers: Headers): boolean;
  receive(request: Request, service: RequestServices, memory: ReceiveOptions): Promise<Form>;
  /** @throws ServiceError 4xx if the form is invalid */
  check(form: Form, signal: AbortSignal, service: RequestServices): Promise<void>;
  /** @param form possibly deserialized */
  carryOut(form: Form, service: RequestServices, memory: DeferredRunOptions): Promise<Response>;
}

export interface ReceiveOptions {
  readonly uploadReservation: Reservation;
  readonly batchReservation: Reservation;
  readonly bodyReservation: Reservation;
  readonly signal: AbortSignal;
}

export interface DeferredRunOptions extends Pick<ReceiveOptions, "uploadReservation" | "signal"> {
  /** Aborts when fetching exceeds its time limit. */
  readonly deadline: AbortController;
}

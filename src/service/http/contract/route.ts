// Defines POSTs. A POST is an endpoint, or a route that runs no operation.

import type { Progress } from "../../ports/jobs.ts";
import type { Config } from "../../settings/config.ts";
import type { Batch } from "../../storage/batch.ts";
import type { RequestMemory } from "../../storage/memory-quota.ts";
import type { BodyLimits } from "./body-size.ts";
import type { Describe, PathDescription } from "./description.ts";
import type { RequestServices } from "./endpoint.ts";
import type { Form } from "./form.ts";

export interface Post {
  /** Path, with a leading slash. */
  readonly path: string;
  /** Returns the body limits of a request. */
  bodyLimits(headers: Headers, config: Config): BodyLimits;
  /** @param fingerprintParts additional values that identify the request for idempotency */
  serve(request: Request, service: RequestServices, fingerprintParts?: readonly string[]): Promise<Response>;
  /**
   * The same work in two steps, for asynchronous requests: receiving the body, and running the job. @default the POST
   * has no job
   */
  readonly deferred?: DeferredHandler;
}

/** A POST without an operation, available in both variants. */
export interface Route extends Post {
  describe(...deployment: Parameters<Describe>): Omit<PathDescription, "path">;
}

export interface DeferredHandler {
  /** Names of the fields whose values are ordered by arrival, across all these fields. @default none */
  readonly ordered?: ReadonlySet<string>;
  /** True if the uploaded files are deleted after the job, even if it completes. @default false */
  readonly isTransient?: boolean;
  /** Returns the names of the secret fields of a form. @default none */
  secrets?(form: Form): ReadonlySet<string>;
  /** Reports whether a request with these headers has a job. */
  applies(headers: Headers): boolean;
  receive(request: Request, service: RequestServices, options: ReceiveOptions): Promise<Form>;
  /** Reads the secret files of a form, and deletes them. @default the form has none. @throws ServiceError 400, 403, 404 */
  takeSecretFiles?(form: Form, service: RequestServices): Promise<Form>;
  /** @throws ServiceError 4xx if the form is invalid */
  check(form: Form, signal: AbortSignal, service: RequestServices): Promise<void>;
  /** @param form the form that `receive` returned, possibly after serialization and deserialization */
  carryOut(form: Form, service: RequestServices, options: DeferredRunOptions): Promise<Response>;
}

export interface ReceiveOptions extends RequestMemory {
  readonly signal: AbortSignal;
}

export interface DeferredRunOptions extends RequestMemory {
  /** Aborted by {@link deadline}. */
  readonly signal: AbortSignal;
  readonly deadline: AbortController;
  readonly outputs: Batch;
  /** Released when the job has ended. */
  readonly resources: DisposableStack;
  progress(progress: Progress): void;
}

// Defines a route whose answer is not that of an operation: it has no job and no output.

import type { Config } from "../core/config.ts";
import type { Keeping } from "../storage/kept-bytes.ts";
import type { Taken } from "./body-size.ts";
import type { Describe, PathDescription } from "./description.ts";
import type { Service } from "./endpoint.ts";
import type { Form } from "./form.ts";

/** A POST of its own kind, which both variants have. */
export interface Route {
  /** Path, with a leading slash. */
  readonly path: string;
  /** Returns what the body of a request may have. */
  taken(headers: Headers, config: Config): Taken;
  describe(...deployment: Parameters<Describe>): Omit<PathDescription, "path">;
  /** @param others what else makes the request another one if it changes */
  serve(request: Request, service: Service, others?: readonly string[]): Promise<Response>;
  /** The same in two parts, of which the client need not wait for the second. @default there is no second part */
  readonly later?: Later;
}

export interface Later {
  /** Reports whether a request with these header fields may have a second part. */
  isFor(headers: Headers): boolean;
  receive(request: Request, service: Service, memory: Receiving): Promise<Form>;
  /** @throws ServiceError 4xx for what is wrong with the form */
  check(form: Form, signal: AbortSignal, service: Service): Promise<void>;
  /** @param form may be one that was stored in between */
  carryOut(form: Form, service: Service, memory: Finishing): Promise<Response>;
}

export interface Receiving {
  readonly keeping: Keeping;
  readonly waiting: Keeping;
  readonly held: Keeping;
  readonly signal: AbortSignal;
}

export interface Finishing extends Pick<Receiving, "keeping" | "signal"> {
  /** Aborted when fetching takes too long. */
  readonly late: AbortController;
}

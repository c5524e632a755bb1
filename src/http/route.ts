// Defines a route whose answer is not that of an operation: it has no job and no output.

import type { Config } from "../core/config.ts";
import type { Service } from "./endpoint.ts";
import type { ServiceError } from "./errors.ts";

type Json = Readonly<Record<string, unknown>>;

/** A POST of its own kind, which both variants have. */
export interface Route {
  /** Path, with a leading slash. */
  readonly path: string;
  readonly summary: string;
  /** JSON schema of each encoding of the body, by its media type. */
  body(config: Config): Json;
  /** JSON schema of the answer. */
  readonly answer: Json;
  /** Error responses for OpenAPI, besides those of every endpoint. */
  readonly errors: readonly ServiceError[];
  serve(request: Request, service: Service): Promise<Response>;
}

// Defines the client whose limits and usage include a job.

import type { Limits } from "./limiter.ts";

/** The client of a job, stored with the job. */
export interface ClientAccount {
  /** Name under which the limiter counts the client. */
  readonly client: string;
  /** Name of the endpoint. */
  readonly operation: string;
  /** Hash of the key, in the keyed variant. */
  readonly key?: string;
  readonly limits?: Limits;
}

// Defines the messages between tests in workerd and test/support/fake-platform.ts.

/**
 * Behavior of an instance. `starts-late`: starts only when it is released. A number: responds to every job with this
 * status. `frozen`: never responds, not even to health checks. `lost`: like `frozen`, and its connections stay open
 * after it ends. `out-of-reach`: runs, but every connection to it breaks. `full`: rejects jobs, because too many are
 * present. `breaks-off`: the connection breaks in the middle of a response. `hangs-up`: the connection breaks before
 * the response.
 */
export type Behavior =
  | "works"
  | "frozen"
  | "lost"
  | "out-of-reach"
  | "full"
  | "hangs-up"
  | "breaks-off"
  | "old"
  | "does-not-start"
  | "starts-late"
  | number;

/** State of an instance, as the platform reports it. */
export interface InstanceRecord {
  readonly running: boolean;
  /** The environment variables of each start. */
  readonly starts: readonly Readonly<Record<string, string>>[];
  /** Operations of the jobs that reached the instance. */
  readonly jobs: readonly string[];
}

declare module "vitest" {
  export interface ProvidedContext {
    platform: string;
  }
}

// Describes what tests in workerd tell test/support/fake-platform.ts, and what it tells them.

/**
 * How an instance behaves. `starts-late`: it starts when it is released. A number: it answers every job with this
 * status. `frozen`: it answers nothing, not even whether it is alive. `lost`: nor do its connections break when it ends.
 * `out-of-reach`: it runs, and each connection to it breaks. `full`: it reports that too many jobs are there.
 * `breaks-off`: its connection breaks in the middle of the response. `hangs-up`: before it.
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
  /** The environment of each start. */
  readonly starts: readonly Readonly<Record<string, string>>[];
  /** Jobs that reached it, by their operation. */
  readonly jobs: readonly string[];
}

declare module "vitest" {
  export interface ProvidedContext {
    platform: string;
  }
}

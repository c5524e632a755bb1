// Tests the store of asynchronous jobs in the storage of a Durable Object, in workerd.
/// <reference types="@cloudflare/vitest-plugin/types" />
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { durableJobStore, type JobQueueObject } from "../../src/service/jobs/job-queue-object.ts";
import type { JobStore } from "../../src/service/ports/job-store.ts";
import { attemptConformance } from "../support/attempt-conformance.ts";
import { deliveryConformance } from "../support/delivery-conformance.ts";
import { jobConformance, MAX_QUEUED } from "../support/job-conformance.ts";

const { JOBS } = env as unknown as { JOBS: DurableObjectNamespace<JobQueueObject> };
let now = 1_700_000_000_000;

/** Returns the store of an object, whose methods run within the object. */
function open(name: string, expires?: "never"): Promise<JobStore> {
  const within = <T>(work: (storage: DurableObjectStorage) => T) =>
    runInDurableObject(JOBS.getByName(name), (_, { storage }) => work(storage));
  const reached = (part: object): object =>
    Object.fromEntries(
      Object.entries(part).map(([name, member]) => [
        name,
        typeof member === "function" ? (...args: readonly unknown[]) => within(() => member(...args)) : reached(member),
      ]),
    );
  const lifetimeMs = expires === "never" ? 0 : 24 * 3_600_000;
  return within(
    (storage) => reached(durableJobStore(storage, { lifetimeMs, maxQueued: MAX_QUEUED, now: () => now })) as JobStore,
  );
}

const tested = {
  open,
  now: () => now,
  passes: (ms: number) => {
    now += ms;
  },
};

jobConformance(tested);
attemptConformance(tested);
deliveryConformance(tested);

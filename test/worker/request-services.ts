// Provides the services of the pipeline for endpoints that are declared for a test.
import type { RequestServices } from "../../src/service/http/contract/endpoint.ts";
import { Timing } from "../../src/service/http/contract/timing.ts";
import { createSemaphore } from "../../src/service/placement/semaphore.ts";
import { ISOLATE_CAPACITY } from "../../src/service/settings/capacity.ts";
import { createMemoryQuota } from "../../src/service/storage/memory-quota.ts";
import { createStore } from "../../src/service/storage/store.ts";
import { bucket } from "./bucket.ts";

const turns = () => createSemaphore({ concurrency: 1, maxQueued: 1, maxWaitMs: 1000 });

/** @param bufferBytes memory for small files, and for responses that are buffered before they are sent */
export const requestServices = (bufferBytes = 2 ** 20): RequestServices => ({
  config: {
    variant: "private",
    dialect: "2022",
    maxUploadBytes: 2 ** 20,
    maxOutputBytes: 2 ** 30,
    maxInputs: 10,
    fileLifetimeMs: 0,
    baseUrl: undefined,
  },
  store: createStore(bucket, { lifetimeMs: 0 }),
  uploadSemaphore: turns(),
  overflowSemaphore: turns(),
  uploadQuota: createMemoryQuota({ perRequest: 2 ** 20, total: 2 ** 20 }),
  bufferQuota: createMemoryQuota({ perRequest: bufferBytes, total: bufferBytes }),
  bodies: createMemoryQuota({ perRequest: 2 ** 20, total: 2 ** 20 }),
  budgets: ISOLATE_CAPACITY,
  engineSemaphore: turns(),
  receiveSemaphore: turns(),
  containerSemaphore: turns(),
  container: undefined,
  baseUrl: "https://service",
  timing: new Timing(),
  log: () => {},
  defer: () => {},
});

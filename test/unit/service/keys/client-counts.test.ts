// Tests the stored form of a client's counts. test/support/limiter-conformance.ts tests the limiters that use the
// counts.
import { expect, test } from "vitest";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import { ClientCounts } from "../../../../src/service/keys/client-counts.ts";

let time = Date.parse("2026-11-23T08:00:00.400Z");
const MB = 2 ** 20;
const aJob = { isJob: true, bytes: 10 };

test("nothing is stored of what no longer counts", () => {
  const counts = new ClientCounts(undefined, { now: () => time });
  for (let second = 0; second < 600; second++, time += 1000) counts.ask({ requestsPerMinute: 100 }, aJob);
  expect(counts.kept.seconds.length).toBeLessThanOrEqual(61);
  counts.ask({ concurrentJobs: 1, megabytesPerDay: 1 }, aJob);
  counts.store(10, { bytes: MB, expires: time + 3_600_000 });
  time += LIMITS.clientLeaseMs + 2000;
  expect(counts.isEmpty).toBe(false);
  time += 86_400_000;
  expect(counts.isEmpty).toBe(true);
  expect(counts.kept).toEqual({ seconds: [], leases: [], day: "2026-11-24", bytes: 0 });
});

test("files that do not expire are stored until they are given back", () => {
  const counts = new ClientCounts(undefined, { now: () => time });
  counts.store(10, { bytes: 9 * MB });
  time += 1000 * 3_600_000;
  expect(counts.isEmpty).toBe(false);
  counts.giveBack({ bytes: 9 * MB });
  expect(counts.isEmpty).toBe(true);
});

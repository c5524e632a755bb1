// Tests the counts of a client with a clock of the test.
// Contract: docs/api.md#limits-of-a-client
import { beforeEach, describe, expect, test } from "vitest";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import { ClientCounts } from "../../../../src/service/keys/client-counts.ts";
import type { LimitRequest, Limits } from "../../../../src/service/ports/limiter.ts";

const MB = 2 ** 20;
const MORNING = Date.parse("2026-11-23T08:00:00.400Z");

let time: number;
let counts: ClientCounts;
beforeEach(() => {
  time = MORNING;
  counts = new ClientCounts(undefined, () => time);
});

/** Asks as a process does that has just begun. */
function ask(limits: Limits, asked: Partial<LimitRequest> = {}) {
  counts = new ClientCounts(JSON.parse(JSON.stringify(counts.kept)), () => time);
  return counts.ask(limits, { isJob: true, bytes: 0, ...asked });
}

describe("requests a minute", () => {
  const limits = { requestsPerMinute: 3 };

  test("the last within the limit passes, the next one does not, and does not count", () => {
    for (const left of [2, 1, 0])
      expect(ask(limits)).toEqual({ left: { requestsPerMinute: { count: left, seconds: 61 } } });
    for (let at = 0; at < 5; at++)
      expect(ask(limits).rejected).toEqual({ limit: "requestsPerMinute", retryAfterSeconds: 61 });
    expect(counts.peek(limits)).toEqual({ requestsPerMinute: { count: 0, seconds: 61 } });
  });

  test("no 60 seconds have more, whenever they begin", () => {
    const passed: number[] = [];
    // Tries eight times a second for ten minutes.
    for (let tried = 0; tried < 4800; tried++, time += 125) if (!ask(limits).rejected) passed.push(time);
    expect(passed.length).toBeGreaterThan(25);
    for (const [at, from] of passed.entries()) {
      expect(passed.slice(at).filter((time) => time < from + 60_000).length).toBeLessThanOrEqual(3);
    }
    expect(counts.kept.seconds.length).toBeLessThanOrEqual(61);
  });

  test("Retry-After is the time until the next one passes, and no longer", () => {
    for (let at = 0; at < 3; at++, time += 10_000) ask(limits);
    const { retryAfterSeconds } = ask(limits).rejected!;
    time += (retryAfterSeconds - 1) * 1000;
    expect(ask(limits).rejected?.retryAfterSeconds).toBe(1);
    time += 1000;
    expect(ask(limits).rejected).toBeUndefined();
    expect(ask(limits).rejected?.retryAfterSeconds).toBe(10);
  });
});

describe("jobs at the same time", () => {
  const limits = { concurrentJobs: 2 };

  test("a job counts until it leaves; requests without a job do not", () => {
    const [first] = [ask(limits), ask(limits)];
    expect(ask(limits).rejected?.limit).toBe("concurrentJobs");
    expect(ask(limits, { isJob: false })).toEqual({ left: { concurrentJobs: { count: 0 } } });
    counts.leave(first.lease, 0);
    expect(ask(limits).lease).toBeDefined();
    expect(ask(limits).rejected).toBeDefined();
  });

  test("a job that is no longer heard of ends, one that is renewed does not", () => {
    const { lease } = ask(limits);
    ask(limits);
    time += LIMITS.clientLeaseMs - 1;
    expect(ask(limits).rejected).toBeDefined();
    counts.renew(lease!);
    time += 1;
    expect(counts.peek(limits)).toEqual({ concurrentJobs: { count: 1 } });
    time += LIMITS.clientLeaseMs;
    expect(counts.peek(limits)).toEqual({ concurrentJobs: { count: 2 } });
    // The answer to a late renewal must not bring it back.
    counts.renew(lease!);
    expect(counts.peek(limits)).toEqual({ concurrentJobs: { count: 2 } });
  });
});

describe("MB a day", () => {
  const limits = { megabytesPerDay: 1 };

  test("the byte at the limit passes, the one beyond does not", () => {
    expect(ask(limits, { bytes: MB - 1 }).rejected).toBeUndefined();
    expect(ask(limits, { bytes: 2 }).rejected?.limit).toBe("megabytesPerDay");
    expect(ask(limits, { bytes: 1 }).left.megabytesPerDay?.count).toBe(0);
    // Nothing is left, not even for a request without a body.
    expect(ask(limits, { bytes: 0 }).rejected).toEqual({ limit: "megabytesPerDay", retryAfterSeconds: 16 * 3600 });
  });

  test("bytes that are known later count, and a new day begins with none", () => {
    counts.leave(undefined, 5 * MB);
    expect(ask(limits).rejected).toBeDefined();
    time += 16 * 3_600_000;
    expect(ask(limits, { bytes: MB }).left.megabytesPerDay).toEqual({ count: 0, seconds: 86_400 });
  });
});

describe("stored bytes", () => {
  const HOUR = 3_600_000;
  const stored = (megabytes: number, hours?: number) => ({
    bytes: megabytes * MB,
    ...(hours === undefined ? {} : { expires: time + hours * HOUR }),
  });
  const left = () => counts.peek({ storedMegabytes: 10 }).storedMegabytes;

  test("count until they end, to the hour, and say when there is room", () => {
    counts.store(10, stored(4, 2));
    counts.store(10, stored(4, 5));
    expect(left()).toEqual({ count: 2 * MB, seconds: 6 * 3600 });
    const { rejected } = counts.store(10, stored(3, 1));
    expect(rejected).toEqual({ limit: "storedMegabytes", retryAfterSeconds: 3 * 3600 });
    expect(counts.store(10, stored(7, 1)).rejected?.retryAfterSeconds).toBe(6 * 3600);
    time += rejected!.retryAfterSeconds * 1000;
    ask({});
    expect(counts.store(10, stored(3, 1)).rejected).toBeUndefined();
    time += 24 * HOUR;
    expect(left()).toEqual({ count: 10 * MB, seconds: 0 });
    expect(counts.kept).not.toHaveProperty("stored");
  });

  test("that stay for ever count until they are given back", () => {
    counts.store(10, stored(9));
    time += 1000 * HOUR;
    ask({});
    expect(counts.isEmpty).toBe(false);
    expect(left()).toEqual({ count: MB });
    counts.giveBack(stored(9));
    expect(counts.isEmpty).toBe(true);
  });

  test("given back at another hour than expected are subtracted once", () => {
    counts.store(10, stored(3, 5));
    counts.store(10, stored(3, 30));
    counts.removed([{ id: "1a", ...stored(3, 6) }]);
    counts.removed([{ id: "1a", ...stored(3, 6) }]);
    expect(left()?.count).toBe(7 * MB);
    counts.giveBack(stored(100, 1));
    expect(left()?.count).toBe(10 * MB);
  });
});

test("a request that one limit refuses counts for none", () => {
  const limits = { requestsPerMinute: 10, concurrentJobs: 1, megabytesPerDay: 1 };
  ask(limits, { bytes: 10 });
  const before = counts.peek(limits);
  expect(ask(limits, { bytes: 10 }).rejected?.limit).toBe("concurrentJobs");
  expect(ask(limits, { bytes: 2 * MB }).rejected?.limit).toBe("megabytesPerDay");
  expect(counts.peek(limits)).toEqual(before);
});

test("nothing is kept of what no longer counts", () => {
  ask({ requestsPerMinute: 10, concurrentJobs: 1, megabytesPerDay: 1 }, { bytes: 10 });
  time += LIMITS.clientLeaseMs + 2000;
  expect(counts.isEmpty).toBe(false);
  time += 86_400_000;
  expect(counts.isEmpty).toBe(true);
  expect(counts.kept).toEqual({ seconds: [], leases: [], day: "2026-11-24", bytes: 0 });
});

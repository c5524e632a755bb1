// Tests limits with allowances: one region against the tests of all limiters.

import { describe, expect, test } from "vitest";
import { Allowances, type Report } from "../../../../src/service/keys/allowances.ts";
import { ClientCounts } from "../../../../src/service/keys/client-counts.ts";
import { RegionCounts } from "../../../../src/service/keys/region-counts.ts";
import type { Limiter } from "../../../../src/service/ports/limiter.ts";
import { type Scenario, simulate } from "../../../support/allowance-world.ts";
import { limiterConformance } from "../../../support/limiter-conformance.ts";

let time = Date.parse("2026-11-26T08:00:00.400Z");
const clock = { now: () => time };

const clients = new Map<string, RegionCounts>();
function regionOf(client: string): RegionCounts {
  const known = clients.get(client);
  if (known) return known;
  const allowances = new Allowances([], clock.now);
  const center = new ClientCounts(undefined, { ...clock, others: () => allowances.counted });
  const call = async (report: Report) => allowances.grant("apac", structuredClone(report), center);
  const region = new RegionCounts(undefined, { ...clock, call, later: () => {} });
  clients.set(client, region);
  return region;
}

const limiter: Limiter = {
  acquire: (client, limits, request) => regionOf(client).ask(limits, request),
  renew: async (client, lease) => regionOf(client).renew(lease),
  release: async (client, lease, bytes) => regionOf(client).leave(lease, bytes),
  store: (client, megabytes, stored) => regionOf(client).store(megabytes, stored),
  giveBack: async (client, stored) => regionOf(client).giveBack(stored),
  removed: async (client, files) => regionOf(client).removed(files),
  peek: (client, limits) => regionOf(client).peek(limits),
};

describe("one region", () => {
  limiterConformance({
    open: () => limiter,
    now: clock.now,
    passes(ms) {
      time += ms;
    },
  });
});

const base = {
  start: "2026-11-26T08:00:00.000Z",
  requests: 10_000,
  durationMs: 300_000,
  limits: { requestsPerMinute: 600, concurrentJobs: 100, megabytesPerDay: 1000, storedMegabytes: 1000 },
  bodyBytes: 2 ** 18,
  outputBytes: 0,
  storedBytes: 2 ** 16,
  jobMs: 20_000,
};

describe("10,000 requests from five regions", () => {
  test.each<[string, Partial<Scenario>]>([
    ["below the limits", { limits: { ...base.limits, requestsPerMinute: 6000, concurrentJobs: 1500 } }],
    ["above the limits", {}],
    ["with lost calls", { lost: 0.1 }],
    ["with restarts", { restarts: 0.02, lost: 0.05 }],
    ["with a region cut off in the middle", { cutMs: 90_000, lost: 0.02 }],
    ["with a region cut off for longer than the jobs count", { cutMs: 700_000, durationMs: 1_800_000, jobMs: 200_000 }],
    ["over the end of a day", { start: "2026-11-26T23:57:30.000Z", limits: { ...base.limits, megabytesPerDay: 300 } }],
    ["with few jobs", { limits: { ...base.limits, concurrentJobs: 3 }, jobMs: 3000, cutMs: 60_000 }],
    ["with little storage", { limits: { ...base.limits, storedMegabytes: 20 }, start: "2026-11-26T08:57:00.000Z" }],
    ["with outputs", { limits: { ...base.limits, megabytesPerDay: 1_000_000 }, outputBytes: 2 ** 22, cutMs: 40_000 }],
    [
      "with tiny limits",
      { limits: { requestsPerMinute: 7, concurrentJobs: 2, megabytesPerDay: 3, storedMegabytes: 1 } },
    ],
  ])("%s", async (title, scenario) => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
    const outcome = await simulate({ ...base, ...scenario, seed });
    console.log(title, { seed, ...outcome });
    expect(Object.values(outcome.least).filter((left) => left < 0)).toEqual([]);
    const { requestsPerMinute, megabytesPerDay } = outcome.left;
    // A region's clock can be ahead, so some bytes of the previous day can also count on the next day.
    const isNextDay = title === "over the end of a day";
    expect(outcome.left).toEqual({ ...outcome.truly, requestsPerMinute, ...(isNextDay ? { megabytesPerDay } : {}) });
    expect(megabytesPerDay).toBeLessThanOrEqual(outcome.truly.megabytesPerDay);
  });
});

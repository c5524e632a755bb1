// Tests limits with allowances: one region against the tests of all limiters.
import { limiterConformance } from "../../../support/limiter-conformance.ts";
import { describe } from "vitest";
import { Allowances, type Report } from "../../../../src/service/keys/allowances.ts";
import { ClientCounts } from "../../../../src/service/keys/client-counts.ts";
import { RegionCounts } from "../../../../src/service/keys/region-counts.ts";
import type { Limiter } from "../../../../src/service/ports/limiter.ts";

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

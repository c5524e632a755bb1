// Tests the table of users for engines.
import { describe, expect, test } from "vitest";
import { SlowLane, slowLaneCapacity } from "../../../container/jobs/slow-lane.ts";
import { firstUserOf, USERS, UserPool } from "../../../container/processes/users.ts";

const ranges = Object.entries(USERS);

test("no two engines have a user in common", () => {
  const ids = ranges.flatMap(([, { first, count }]) => Array.from({ length: count }, (_, index) => first + index));
  expect(new Set(ids).size).toBe(ids.length);
  // Lower IDs belong to accounts, and Debian itself allocates IDs from 60000 on (Debian policy, 9.2.2).
  expect(Math.min(...ids)).toBeGreaterThan(50_000);
  expect(Math.max(...ids)).toBeLessThan(60_000);
});

test.each([1, 2, 16, 64, 128])("there are users for all quick and slow jobs of %i processors", (jobs) => {
  const processes = jobs + new SlowLane(slowLaneCapacity(jobs, Number.POSITIVE_INFINITY)).places;
  for (const [name, range] of ranges) if (name !== "chromium") expect(firstUserOf(range, processes)).toBe(range.first);
});

test("an engine that would need users of another one does not start", () => {
  expect(() => firstUserOf(USERS.veraPdf, USERS.veraPdf.count + 1)).toThrow("busy");
});

describe("a pool", () => {
  test("lends each user to one at a time, and none of another range", () => {
    const pool = new UserPool({ first: 7, count: 2 });
    const [one, other] = [pool.take(), pool.take()];
    expect([one.id, other.id]).toEqual([7, 8]);
    expect(() => pool.take()).toThrow("busy");
    one[Symbol.dispose]();
    expect(pool.take().id).toBe(7);
  });
});

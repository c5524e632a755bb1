// Tests how the time of a request is attributed to its phases, in the header and as spans of traces.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Phase, Timing } from "../../../../src/service/http/contract/timing.ts";

const START = 1_700_000_000_000;
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "Date"], now: START }));
afterEach(() => void vi.useRealTimers());

const spend = (ms: number) => async () => void vi.advanceTimersByTime(ms);

test("phases within phases count once, and stretch from their first part to their last", async () => {
  const timing = new Timing();
  await spend(10)();
  await timing.measure("wait", spend(0));
  await spend(10)();
  await timing.measure("wait", spend(5));
  await timing.measure("store", async () => {
    await spend(2)();
    await timing.measure("engine", spend(40));
    await spend(3)();
    await timing.measure("engine", spend(40));
    await spend(4)();
  });
  await spend(6)();
  expect(timing.header()).toBe("receive;dur=26, wait;dur=5, engine;dur=80, store;dur=9");
  const { beginMs, endMs, phases } = timing.intervals();
  expect([beginMs, endMs]).toEqual([START, START + 120]);
  const stretch = (phase: Phase) => {
    const found = phases.find((one) => one.phase === phase)!;
    return [found.beginMs - START, found.endMs - START, found.spentMs];
  };
  expect(stretch("receive")).toEqual([0, 20, 26]);
  expect(stretch("wait")).toEqual([20, 25, 5]);
  expect(stretch("engine")).toEqual([27, 110, 80]);
  expect(stretch("store")).toEqual([25, 114, 9]);
});

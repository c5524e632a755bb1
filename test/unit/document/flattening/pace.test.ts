// Tests the forecast of a job's time.
import { expect, test } from "vitest";
import { Pace } from "../../../../src/document/flattening/pace.ts";

/** Returns the forecasts of a job after each of its steps. @param stepsMs CPU time of each step */
function forecasts(steps: number, limitMs: number, stepsMs: readonly number[]) {
  // CPU time that the job used before its first step.
  let usedMs = 5_000;
  const pace = new Pace(steps, limitMs, () => usedMs);
  return stepsMs.map((ms) => {
    usedMs += ms;
    return pace.step();
  });
}

test("a job that would take far longer than it may is told after its first steps, with what there is time for", () => {
  expect(forecasts(100, 100_000, [4_000, 4_000, 4_000])).toEqual([undefined, undefined, 25]);
});

test("a job of little work says nothing about the rest", () => {
  expect(forecasts(100_000, 100_000, [5_000, 2_000, 2_000])).toEqual([undefined, undefined, undefined]);
});

test("a job that may end in its time goes on", () => {
  expect(
    forecasts(
      40,
      100_000,
      Array.from({ length: 40 }, () => 3_000),
    ).filter((left) => left !== undefined),
  ).toEqual([]);
  expect(forecasts(3, 100_000, [30_000, 30_000, 30_000])).toEqual([undefined, undefined, undefined]);
});

test.each([
  ["first", [15_000, 100, 100, 100, 100]],
  ["second", [100, 15_000, 100, 100, 100]],
  ["third", [100, 100, 15_000, 100, 100]],
])("a slow %s step says nothing about the rest", (_, stepsMs) => {
  expect(forecasts(120, 100_000, stepsMs)).toEqual(stepsMs.map(() => undefined));
});

test("steps that become slow are told when most of the latest ones are", () => {
  const quick = new Array<number>(40).fill(100);
  const slow = new Array<number>(60).fill(3_000);
  const left = forecasts(400, 100_000, [...quick, ...slow]);
  expect(left.slice(0, 60).filter((one) => one !== undefined)).toEqual([]);
  expect(left.at(-1)).toBeLessThan(400);
});

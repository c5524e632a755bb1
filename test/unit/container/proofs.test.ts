// Tests how the last proofs of engines are recorded, with engines whose responses the test controls.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EngineProbes, PROBE_TTL_MS } from "../../../container/engine-lifecycle/engine-probes.ts";
import { CONTAINER_LIMITS } from "../../../container/limits.ts";
import type { EngineState } from "../../../container/supervision/engine-state.ts";

const { engineProofMs } = CONTAINER_LIMITS;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Returns an engine whose probes the test completes. */
function engine() {
  const asked: string[] = [];
  const replaced: string[] = [];
  const one = { state: "warm" as EngineState, prove: async (): Promise<void> => {}, asked, replaced };
  const proofs = new EngineProbes({
    names: ["a"],
    stateOf: () => one.state,
    prove: (name) => {
      asked.push(name);
      return one.prove();
    },
    restart: (_, why) => void replaced.push(why),
    log: () => {},
  });
  return { one, proofs, now: async () => (await proofs.current()).a };
}

test("many questions at once are one proof, which holds for a while", async () => {
  const { one, now } = engine();
  const answers = await Promise.all(Array.from({ length: 100 }, now));
  expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
    new Set(['{"state":"warm","proof":{"by":"probe","secondsAgo":0}}']),
  );
  vi.advanceTimersByTime(PROBE_TTL_MS - 1);
  await now();
  expect(one.asked).toHaveLength(1);
  vi.advanceTimersByTime(1);
  await now();
  expect(one.asked).toHaveLength(2);
});

test("an answered job is a proof, and no other is needed", async () => {
  const { one, proofs, now } = engine();
  proofs.recordJob("a");
  vi.advanceTimersByTime(3_000);
  expect(await now()).toEqual({ state: "warm", proof: { by: "job", secondsAgo: 3 } });
  expect(one.asked).toEqual([]);
});

test("an engine that does not run is not asked, and keeps its last proof", async () => {
  const { one, now } = engine();
  await now();
  one.state = "starting";
  vi.advanceTimersByTime(60_000);
  expect(await now()).toEqual({ state: "starting", proof: { by: "probe", secondsAgo: 60 } });
  expect(one.asked).toHaveLength(1);
});

test("a proof that fails is told at once, and the engine is started anew after three", async () => {
  const { one, now } = engine();
  one.prove = () => Promise.reject(new Error("no room"));
  for (const failures of [1, 2, 3]) {
    expect(await now()).toEqual({ state: "warm", trouble: "failed" });
    expect(one.asked).toHaveLength(failures);
    expect(one.replaced).toHaveLength(failures === 3 ? 1 : 0);
    vi.advanceTimersByTime(1_000);
  }
  one.prove = async () => {};
  expect(await now()).toEqual({ state: "warm", proof: { by: "probe", secondsAgo: 0 } });
});

test("one late proof is no trouble, two are, and nobody waits longer than a proof may take", async () => {
  const { one, now } = engine();
  const limits: number[] = [];
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    limits.push(ms);
    return AbortSignal.abort(new Error("late"));
  });
  one.prove = () => Promise.reject(new Error("late"));
  expect(await now()).toEqual({ state: "warm" });
  vi.advanceTimersByTime(1_000);
  expect(await now()).toEqual({ state: "warm", trouble: "late" });
  expect(limits).toEqual([engineProofMs, engineProofMs]);
  vi.restoreAllMocks();
});

test("a job that is answered while a proof fails counts more", async () => {
  const { one, proofs, now } = engine();
  one.prove = async () => {
    vi.advanceTimersByTime(1);
    proofs.recordJob("a");
    throw new Error("late");
  };
  expect(await now()).toEqual({ state: "warm", proof: { by: "job", secondsAgo: 0 } });
});

// Tests which jobs are retried, with which final result, and that the result arrives in time.
import { type ChildProcess, spawn } from "node:child_process";
import { afterEach, expect, test, vi } from "vitest";
import { stateOf } from "../../../container/processes/proc.ts";
import { EngineLost, retryCrashOnce } from "../../../container/processes/retry.ts";
import { watchForStopped } from "../../../container/processes/stopped-processes.ts";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import { eventually } from "../../support/eventually.ts";
import { failsWith } from "../../support/libreoffice.ts";

const lost = () => new EngineLost("killed");
const crashed = () => new EngineFailure("crashed", "ended by Aborted");

/** Returns an attempt that fails with each of the errors in turn, and then succeeds. */
function failing(...failures: Error[]) {
  let begun = 0;
  const attempt = async () => {
    const failure = failures[begun++];
    if (failure) throw failure;
    return begun;
  };
  return { attempt, begun: () => begun };
}

afterEach(() => vi.useRealTimers());

test.each([
  ["was lost", lost],
  ["crashed", crashed],
])("a job whose engine %s is begun again", async (_, failure) => {
  expect(await retryCrashOnce({}, failing(failure()).attempt)).toBe(2);
});

test.each([
  ["lost twice: it may come again", lost, lost, "busy"],
  ["crashed twice: it is the document", crashed, crashed, "too-complex"],
  ["lost and crashed", lost, crashed, "too-complex"],
  ["crashed and lost", crashed, lost, "busy"],
] as const)("an engine that is %s", async (_, first, second, reason) => {
  const { attempt, begun } = failing(first(), second());
  await expect(retryCrashOnce({}, attempt)).rejects.toEqual(failsWith(reason));
  expect(begun()).toBe(2);
});

test.each(["damaged", "too-large", "timed-out", "busy"] as const)("%s is an answer, not a crash", async (reason) => {
  const { attempt, begun } = failing(new EngineFailure(reason, ""));
  await expect(retryCrashOnce({}, attempt)).rejects.toEqual(failsWith(reason));
  expect(begun()).toBe(1);
});

test("the second attempt gets the time that is left, in the integers that the zygote reads", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const given: number[] = [];
  const attempt = async (_: AbortSignal, timeoutMs: number) => {
    given.push(timeoutMs);
    vi.advanceTimersByTime(50.5);
    throw lost();
  };
  await expect(retryCrashOnce({ timeoutMs: 20_000 }, attempt)).rejects.toEqual(failsWith("busy"));
  expect(given).toEqual([20_000, 19_950]);
});

test("a job is answered when its time is up, also where its attempt never ends", async () => {
  const never = () => new Promise<never>(() => {});
  await expect(retryCrashOnce({ timeoutMs: 50 }, never)).rejects.toEqual(failsWith("timed-out"));
  const gone = new AbortController();
  const left = retryCrashOnce({ timeoutMs: 20_000, signal: gone.signal }, never);
  gone.abort(new Error("client gone"));
  await expect(left).rejects.toThrow("client gone");
});

test("a job whose client has gone is not begun again", async () => {
  const gone = new AbortController();
  const { attempt, begun } = failing(lost());
  const left = retryCrashOnce({ signal: gone.signal }, () => {
    gone.abort(new Error("client gone"));
    return attempt();
  });
  await expect(left).rejects.toThrow("client gone");
  expect(begun()).toBe(1);
});

test("a process that is stopped is found, one that is busy or asleep is not", async () => {
  const [asleep, busy, stopped] = ["exec sleep 60", "while :; do :; done", "exec sleep 60"].map((script) =>
    spawn("sh", ["-c", script]),
  ) as [ChildProcess, ChildProcess, ChildProcess];
  const found = new Set<number>();
  try {
    const pids = [asleep, busy, stopped].map(({ pid }) => pid!);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    using _ = watchForStopped(
      () => pids,
      (pid) => void found.add(pid),
    );
    stopped.kill("SIGSTOP");
    await eventually(() => expect([...found]).toEqual([stopped.pid]));
    stopped.kill("SIGCONT");
    await eventually(() => expect(stateOf(stopped.pid!)).not.toBe("stopped"));
    found.clear();
    vi.advanceTimersByTime(5_000);
    expect([...found]).toEqual([]);
  } finally {
    for (const child of [asleep, busy, stopped]) child.kill("SIGKILL");
  }
});

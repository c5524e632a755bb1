// Kills or freezes a zygote and its children, for any engine: jobs are still done, and nothing is left behind.

import { describe, expect, test } from "vitest";
import { eventually } from "./eventually.ts";
import { failsWith } from "./libreoffice.ts";
import { aChild, childrenOf, isRunning } from "./processes.ts";

export interface ZygoteUnderTest {
  /** Name of one job, for the titles of tests. */
  readonly unit: string;
  /** Returns the engine, which runs two jobs at a time. */
  engine(): { readonly pid: number | undefined; readonly mode: string };
  /** Runs a job that takes seconds, and checks its PDF. */
  long(): Promise<void>;
  /** Runs a short job, and checks its PDF. */
  works(): Promise<void>;
  /** Checks that no file is left but the zygote's. */
  noFileIsLeft(): void;
}

/** Returns what the tests of one engine share. */
export function zygoteFaults({ unit, engine, long, works, noFileIsLeft }: ZygoteUnderTest) {
  async function nothingIsLeft(pids: readonly number[]): Promise<void> {
    await eventually(() => expect(pids.filter(isRunning)).toEqual([]));
    await works();
    await eventually(() => expect(childrenOf(engine().pid!)).toEqual([]));
    noFileIsLeft();
    expect(engine().mode).toBe("zygote");
  }

  function twoChildren(): Promise<number[]> {
    return eventually(
      () => {
        const pids = childrenOf(engine().pid!);
        expect(pids).toHaveLength(2);
        return pids;
      },
      { intervalMs: 2 },
    );
  }

  /** Tests a loss of the zygote or of its children by a signal. */
  function testLosses(signal: "SIGKILL" | "SIGSTOP"): void {
    test(`a child: its ${unit} is done by another one, and the one beside it is not touched`, async () => {
      const before = engine().pid;
      const jobs = [long(), long()];
      const children = await twoChildren();
      process.kill(children[0]!, signal);
      await Promise.all(jobs);
      expect(engine().pid).toBe(before);
      await nothingIsLeft(children);
    });

    test(`the zygote, in mid-job: both ${unit}s are done by another one`, async () => {
      const before = engine().pid!;
      const jobs = [long(), long()];
      const children = await twoChildren();
      process.kill(before, signal);
      await Promise.all(jobs);
      await nothingIsLeft([before, ...children]);
    });

    test("the zygote, with nothing to do: another one is there before anybody asks", async () => {
      const before = engine().pid!;
      process.kill(before, signal);
      await eventually(() => expect(engine().pid).not.toBeOneOf([undefined, before]));
      await nothingIsLeft([before]);
    });
  }

  /** Tests a job whose process ends by a signal, and so does the one of the second attempt. */
  function testEndsTwice(cases: readonly (readonly [NodeJS.Signals, string])[]): void {
    describe(`a ${unit} whose process ends twice`, () => {
      test.each(cases)("by %s: %s", async (signal, reason) => {
        const outcome = expect(long()).rejects.toEqual(failsWith(reason));
        const first = await aChild(engine());
        process.kill(first, signal);
        const second = await aChild(engine(), first);
        process.kill(second, signal);
        await outcome;
        await nothingIsLeft([first, second]);
      });
    });
  }

  return { nothingIsLeft, testLosses, testEndsTwice };
}

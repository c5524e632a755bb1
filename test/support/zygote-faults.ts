// Kills or freezes a zygote and its children. Tests for any engine that jobs still succeed, and that no files or
// processes remain.

import { describe, expect, test } from "vitest";
import { eventually } from "./eventually.ts";
import { failsWith } from "./libreoffice.ts";
import { aChild, childrenOf, isRunning } from "./processes.ts";

export interface ZygoteUnderTest {
  /** Word for one job in test titles. */
  readonly unit: string;
  /** Returns the engine, which runs two concurrent jobs. */
  engine(): { readonly pid: number | undefined; readonly mode: string };
  /** Runs a job that takes seconds, and checks its PDF. */
  long(): Promise<void>;
  /** Runs a short job, and checks its PDF. */
  works(): Promise<void>;
  /** Checks that only the zygote's files remain. */
  noFileIsLeft(): void;
}

/** Returns functions that define the tests of one engine. */
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

  /** Defines the tests of losing the zygote or its children by a signal. */
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

  /** Defines the tests of a job whose process ends by a signal in both attempts. */
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

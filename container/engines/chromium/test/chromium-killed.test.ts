// Kills or stops Chromium's processes, and tests that the job is retried and that concurrent and later jobs are not
// affected.
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  chromium,
  nothingIsLeft,
  openChromium,
  pages,
  site,
  strictSettings,
  works,
} from "../../../../test/support/chromium-site.ts";
import { infoOf, logged, print, processesOf, reasonOf } from "../../../../test/support/chromiums.ts";
import { processTree, survivors } from "../../../../test/support/processes.ts";

openChromium(strictSettings);

describe("killed or stopped", () => {
  beforeAll(() => {
    pages.set("/slow", (_, response) => void setTimeout(() => response.end(), 1_200));
  });
  afterEach(async () => {
    await works();
    await nothingIsLeft();
  });

  /** Starts a job that takes a while, and returns once it is in progress. */
  async function begin(text: string): Promise<{ printed: Promise<string>; renderer: number }> {
    const before = await processesOf(chromium.pid!, "renderer");
    const asked = Promise.withResolvers<void>();
    pages.set(`/${text}`, (_, response) => {
      asked.resolve();
      setTimeout(() => response.end(), 2_500);
    });
    const busy = `<title>${text}</title><p>${text}<img src="${site.url}/${text}"><script>const end = performance.now() + 300; while (performance.now() < end);</script>`;
    const printed = print(chromium, busy);
    printed.catch(() => {});
    await asked.promise;
    // By then the renderer is recognizable by its work.
    await sleep(500);
    return { printed, renderer: await rendererAt(before) };
  }

  /** Returns the renderer that has used the most CPU time. */
  async function rendererAt(candidates: readonly number[]): Promise<number> {
    const times = await Promise.all(
      candidates.map(async (pid) => {
        const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
        return { pid, ticks: Number(stat.split(" ")[13] ?? 0) };
      }),
    );
    return times.reduce((most, next) => (next.ticks > most.ticks ? next : most)).pid;
  }

  test.each(["SIGKILL", "SIGSTOP", "SIGABRT"] as const)(
    "a renderer, by %s: its job begins anew, the one beside it goes on",
    // Well before a page that never ends would reach its limit.
    { timeout: 25_000 },
    async (signal) => {
      const one = await begin("one");
      const two = await begin("two");
      process.kill(one.renderer, signal);
      const results = await Promise.all([reasonOf(one.printed), reasonOf(two.printed)]);
      expect(results).toEqual(["1 pages", "1 pages"]);
    },
  );

  test.each(["SIGKILL", "SIGSTOP", "SIGSEGV"] as const)(
    "the browser, by %s: its jobs are done by another one",
    async (signal) => {
      const jobs = [await begin("one"), await begin("two")];
      const tree = processTree(chromium.pid!);
      process.kill(chromium.pid!, signal);
      for (const { printed } of jobs) expect(infoOf(await printed).Title).toBeOneOf(["one", "two"]);
      expect(await survivors(tree)).toEqual([]);
      expect(logged.at(-1)).toBeDefined();
    },
  );

  test.each(["gpu-process", "utility"])("its %s, stopped: the same", async (kind) => {
    const { printed } = await begin("one");
    for (const pid of await processesOf(chromium.pid!, kind)) process.kill(pid, "SIGSTOP");
    expect(infoOf(await printed).Title).toBe("one");
  });

  test.each(["gpu-process", "utility"])("its %s, killed: the job is done all the same", async (kind) => {
    const { printed } = await begin("one");
    for (const pid of await processesOf(chromium.pid!, kind)) process.kill(pid, "SIGKILL");
    expect(infoOf(await printed).Title).toBe("one");
  });

  test("the browser, while nothing is to be done", async () => {
    for (const signal of ["SIGKILL", "SIGSTOP"] as const) {
      process.kill(chromium.pid!, signal);
      await works();
    }
  });

  test("a job that is ended ends its page at once", async () => {
    const ending = new AbortController();
    const printed = print(chromium, "<script>for (;;);</script>", {}, ending.signal);
    printed.catch(() => {});
    await sleep(500);
    ending.abort(new Error("the client went away"));
    await expect(printed).rejects.toThrow("the client went away");
  });
});

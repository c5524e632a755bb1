// Kills or stops Chromium's processes. Tests that the job is retried, and that concurrent and later jobs are not
// affected.
import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { chromium, nothingIsLeft, openChromium, pages, site, works } from "../../../../test/support/chromium-site.ts";
import { infoOf, logged, print, processesOf, reasonOf } from "../../../../test/support/chromiums.ts";
import { processTree, survivors } from "../../../../test/support/processes.ts";

openChromium();

describe("killed or stopped", () => {
  /** Responses to image requests wait for this promise. */
  let held: PromiseWithResolvers<void>;
  beforeEach(() => {
    held = Promise.withResolvers();
  });
  afterEach(async () => {
    await works();
    await nothingIsLeft();
  });

  /** Starts a job whose page requests an image. Returns once the request arrives. */
  async function begin(text: string): Promise<{ printed: Promise<string>; renderer: number }> {
    const before = await processesOf(chromium.pid!, "renderer");
    const waits = Promise.withResolvers<void>();
    pages.set(`/${text}`, async (_, response) => {
      waits.resolve();
      await held.promise;
      response.end();
    });
    // The script uses CPU time, by which the page's renderer is recognized.
    const busy = `<title>${text}</title><p>${text}<script>for (let n = 0; n < 3e8; n++);
      document.body.append(Object.assign(new Image(), { src: "${site.url}/${text}" }))</script>`;
    const printed = print(chromium, busy);
    printed.catch(() => {});
    await waits.promise;
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
    // Well below the time limit of a page that never ends.
    { timeout: 25_000 },
    async (signal) => {
      const one = await begin("one");
      const two = await begin("two");
      process.kill(one.renderer, signal);
      held.resolve();
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
      held.resolve();
      for (const { printed } of jobs) expect(infoOf(await printed).Title).toBeOneOf(["one", "two"]);
      expect(await survivors(tree)).toEqual([]);
      expect(logged.at(-1)).toBeDefined();
    },
  );

  test.each(["gpu-process", "utility"])("its %s, stopped: the same", async (kind) => {
    const { printed } = await begin("one");
    for (const pid of await processesOf(chromium.pid!, kind)) process.kill(pid, "SIGSTOP");
    held.resolve();
    expect(infoOf(await printed).Title).toBe("one");
  });

  test.each(["gpu-process", "utility"])("its %s, killed: the job is done all the same", async (kind) => {
    const { printed } = await begin("one");
    for (const pid of await processesOf(chromium.pid!, kind)) process.kill(pid, "SIGKILL");
    held.resolve();
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
    const begun = Promise.withResolvers<void>();
    pages.set("/loop", (_, response) => {
      begun.resolve();
      response.setHeader("Content-Type", "text/javascript").end("for (;;);");
    });
    const printed = print(chromium, `<script src="${site.url}/loop"></script>`, {}, ending.signal);
    printed.catch(() => {});
    await begun.promise;
    ending.abort(new Error("the client went away"));
    await expect(printed).rejects.toThrow("the client went away");
  });
});

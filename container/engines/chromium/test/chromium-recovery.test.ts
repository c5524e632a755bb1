// Kills or freezes each process of a browser, idle and busy. Tests that running jobs return their PDF, that later jobs
// work, and that no processes or files remain.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { chromium, nothingIsLeft, openChromium, pages, site } from "../../../../test/support/chromium-site.ts";
import {
  CHROMIUM_PROCESSES,
  type ChromiumProcess,
  chromiumProcesses,
  infoOf,
  print,
  reasonOf,
  scratch,
  startChromium,
  textOf,
} from "../../../../test/support/chromiums.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { processTree, survivors } from "../../../../test/support/processes.ts";
import { PROGRAMS } from "../launch.ts";

openChromium((port) => ({ web: { allow: `127.0.0.1:${port}` } }));

const FAULTS = CHROMIUM_PROCESSES.flatMap((kind) => [[kind, "SIGKILL"] as const, [kind, "SIGSTOP"] as const]);
/** Far longer than a response takes, and far shorter than a job's time limit. */
const PATIENCE_MS = 30_000;

/** An image of one pixel. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
  "base64",
);

/** IDs of the browser's processes at the start of a test. */
let before: number[];

/** Responses to image requests wait for this promise, so that a job with an image keeps running. */
let held = Promise.withResolvers<void>();
const asked = new Set<string>();

beforeAll(() => {
  pages.set("/picture", async ({ url }, response) => {
    asked.add(url!);
    await held.promise;
    response.setHeader("Content-Type", "image/png").end(PICTURE);
  });
});

afterEach(async () => {
  await answered("<p>the next one");
  await nothingIsLeft();
  // Skipped if the same browser still runs, because `before` then contains running processes.
  const pid = chromium.pid!;
  if (!before.includes(pid)) expect(await survivors(before)).toEqual([]);
  await eventually(async () => {
    expect((await readdir(scratch.path)).filter((name) => name.startsWith("chromium-"))).toHaveLength(1);
  });
});

const printInTime = (html: string) => print(chromium, html, {}, AbortSignal.timeout(PATIENCE_MS));
const answered = async (html: string) => expect(textOf(await printInTime(html))).toContain(html.slice(3));

/** Signals all processes of a kind. With several renderers, it is unknown which one belongs to which job. */
async function strike(kind: ChromiumProcess, signal: NodeJS.Signals): Promise<void> {
  await eventually(() => expect(chromiumProcesses(chromium.pid!, kind)).not.toEqual([]));
  before = processTree(chromium.pid!);
  for (const pid of chromiumProcesses(chromium.pid!, kind)) process.kill(pid, signal);
}

describe("while nothing is to be done", () => {
  test.each(FAULTS)("%s, %s: jobs that come at once are done", async (kind, signal) => {
    await strike(kind, signal);
    for (const text of ["one", "two", "three", "four", "five"]) await answered(`<p>${text}`);
  });

  test.each(FAULTS)("%s, %s: it is found without a job", async (kind, signal) => {
    await strike(kind, signal);
    const struck = kind === "browser" ? before.slice(0, 1) : before;
    await eventually(() => {
      const now = processTree(chromium.pid!);
      if (kind !== "renderer") expect(struck).not.toContain(now[0]);
      else expect(chromiumProcesses(now[0]!, "renderer").some((pid) => !before.includes(pid))).toBe(true);
    });
  });
});

describe("while jobs are running", () => {
  const page = (text: string) =>
    `<title>${text}</title><p>${text}<img src="${site.url}/picture?${text}" width=9 height=9>`;
  const picturesOf = (path: string) => execFileSync("pdfimages", ["-list", path], { encoding: "utf8" });

  test.each(FAULTS)("%s, %s: they are done with all that belongs to them", async (kind, signal) => {
    held = Promise.withResolvers();
    asked.clear();
    const printed = ["one", "two", "three"].map((text) => printInTime(page(text)));
    for (const one of printed) one.catch(() => {});
    await eventually(() => expect(asked.size).toBe(printed.length));
    await strike(kind, signal);
    held.resolve();
    for (const [index, path] of (await Promise.all(printed)).entries()) {
      expect(infoOf(path).Title).toBe(["one", "two", "three"][index]);
      expect(picturesOf(path)).toContain("image");
    }
  });

  test.each(FAULTS)("%s, %s, as a job begins and more wait for a page", async (kind, signal) => {
    const printed = Array.from({ length: 6 }, (_, index) => printInTime(`<p>page ${index}`));
    for (const one of printed) one.catch(() => {});
    await strike(kind, signal);
    for (const path of await Promise.all(printed)) expect(textOf(path)).toContain("page");
  });
});

/** Signals all processes of a kind twice, each time after the job has started. */
async function strikeTwice(kind: ChromiumProcess, signal: NodeJS.Signals): Promise<string> {
  let begun = Promise.withResolvers<void>();
  held = Promise.withResolvers();
  pages.set("/held", async (_, response) => {
    begun.resolve();
    await held.promise;
    response.end();
  });
  const printed = printInTime(`<p>struck<img src="${site.url}/held">`);
  printed.catch(() => {});
  for (let strikes = 0; strikes < 2; strikes++) {
    await Promise.race([begun.promise, printed]);
    begun = Promise.withResolvers();
    await strike(kind, signal);
  }
  held.resolve();
  return reasonOf(printed);
}

test("a page whose renderer crashes by itself twice is too complex", async () => {
  expect(await strikeTwice("renderer", "SIGABRT")).toBe("too-complex");
});

test.each([
  ["renderer", "SIGSTOP"],
  ["browser", "SIGKILL"],
  ["inner zygote", "SIGKILL"],
] as const)("a page whose %s is lost twice, by %s, is not to blame: it may come again", async (kind, signal) => {
  expect(await strikeTwice(kind, signal)).toBe("busy");
});

test("a job that waits for a page answers as soon as it is ended", async () => {
  before = processTree(chromium.pid!);
  const ending = new AbortController();
  // More jobs than there are prepared pages.
  const printed = Array.from({ length: 9 }, () => print(chromium, "<p>waits", {}, ending.signal));
  const reasons = Promise.all(printed.map(reasonOf));
  await turn();
  ending.abort(new Error("the client went away"));
  // No process can respond within one turn of the event loop.
  const late = turn().then(() => "late");
  expect(await Promise.race([reasons, late])).toEqual(Array(9).fill("the client went away"));
});

test("while Chromium cannot be started, jobs are told so at once, and then they are done", async () => {
  before = processTree(chromium.pid!);
  const program = join(scratch.path, "program");
  const install = () => symlink(PROGRAMS.find(existsSync)!, program);
  await using own = await startChromium({ programs: [program] });
  const ask = () => reasonOf(print(own, "<p>asks", {}, AbortSignal.timeout(PATIENCE_MS / 6)));
  for (let round = 0; round < 2; round++) {
    for (let job = 0; job < 4; job++) expect(await ask()).toBe("busy");
    expect(own.state).toBe("failed");
    await install();
    await eventually(async () => expect(await ask()).toBe("1 pages"));
    expect(own.state).toBe("warm");
    await rm(program);
    process.kill(own.pid!, "SIGKILL");
  }
});

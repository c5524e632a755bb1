// Kills or freezes Ghostscript's processes: programs still run, and nothing is left behind.
import { cpSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { pages } from "../../../../test/fixtures/postscript.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import {
  aChild,
  convert,
  documents,
  isRunning,
  openGhostscripts,
  plain,
  scratch,
  zygote,
} from "../../../../test/support/ghostscripts.ts";
import { childrenOf, failsWith } from "../../../../test/support/offices.ts";
import { nameOf, processTree } from "../../../../test/support/processes.ts";
import { startGhostscript } from "../ghostscript.ts";
import { PdfRewriter } from "../pdf.ts";

openGhostscripts();

/** A program that prints one page after two seconds. */
const SLOW = "%!PS\n/until realtime 2000 add def { realtime until gt { exit } if } loop showpage\n";
const works = async () => expect((await convert(zygote, pages(2))).pages).toBe(2);

async function nothingIsLeft(pids: readonly number[]): Promise<void> {
  await eventually(() => expect(pids.filter(isRunning)).toEqual([]));
  await works();
  await eventually(() => expect(childrenOf(zygote.pid!)).toEqual([]));
  expect(readdirSync(scratch.path).map((name) => name.split("-")[0])).toEqual(["zygote"]);
  expect(zygote.mode).toBe("zygote");
}

async function twoChildren(): Promise<number[]> {
  for (;;) {
    const pids = childrenOf(zygote.pid!);
    if (pids.length === 2) return pids;
    await sleep(2);
  }
}

/** Returns the process of a Ghostscript that is started for one document. */
const plainAtWork = () =>
  eventually(() => {
    const found = processTree(process.pid).find((pid) => nameOf(pid) === "gs\n" && isRunning(pid));
    if (found === undefined) throw new Error("not there yet");
    return found;
  });

describe.each(["SIGKILL", "SIGSTOP"] as const)("by %s", (signal) => {
  test("a child: its program is run by another one, and the one beside it is not touched", async () => {
    const before = zygote.pid;
    const jobs = [convert(zygote, SLOW), convert(zygote, SLOW)];
    const children = await twoChildren();
    process.kill(children[0]!, signal);
    for (const made of await Promise.all(jobs)) expect(made.pages).toBe(1);
    expect(zygote.pid).toBe(before);
    await nothingIsLeft(children);
  });

  test("the zygote, in mid-job: both programs are run by another one", async () => {
    const before = zygote.pid!;
    const jobs = [convert(zygote, SLOW), convert(zygote, SLOW)];
    const children = await twoChildren();
    process.kill(before, signal);
    for (const made of await Promise.all(jobs)) expect(made.pages).toBe(1);
    await nothingIsLeft([before, ...children]);
  });

  test("the zygote, with nothing to do: another one is there before anybody asks", async () => {
    const before = zygote.pid!;
    process.kill(before, signal);
    await eventually(() => expect(zygote.pid).not.toBeOneOf([undefined, before]));
    await nothingIsLeft([before]);
  });

  test("a Ghostscript started for one program: the program is run by another one", async () => {
    const converted = convert(plain, SLOW);
    const pid = await plainAtWork();
    process.kill(pid, signal);
    expect((await converted).pages).toBe(1);
    await nothingIsLeft([pid]);
  });

  test("a Ghostscript that writes a PDF anew: another one does", async () => {
    const { path } = await convert(zygote, pages(400));
    const output = join(documents, `rewritten-${signal}.pdf`);
    const rewriting = new PdfRewriter(scratch).rewrite(path, output, { version: "1.7" }, new AbortController().signal);
    const pid = await plainAtWork();
    process.kill(pid, signal);
    await rewriting;
    await nothingIsLeft([pid]);
  });
});

test.each([
  ["SIGABRT", "too-complex"],
  ["SIGKILL", "busy"],
] as const)("a program whose process ends by %s, and again: %s", async (signal, reason) => {
  const outcome = expect(convert(zygote, SLOW)).rejects.toEqual(failsWith(reason));
  const first = await aChild(zygote);
  process.kill(first, signal);
  const second = await aChild(zygote, first);
  process.kill(second, signal);
  await outcome;
  await nothingIsLeft([first, second]);
});

test("a program whose process and zygote are frozen is told when its time is up", async () => {
  const before = zygote.pid!;
  const outcome = expect(convert(zygote, SLOW, { timeoutMs: 300 })).rejects.toEqual(failsWith("timed-out"));
  const child = await aChild(zygote);
  for (const pid of [before, child]) process.kill(pid, "SIGSTOP");
  await outcome;
  await nothingIsLeft([before, child]);
});

test("a zygote that cannot be started again: programs are run the plain way, until it can", async () => {
  const dist = join(documents, "dist");
  mkdirSync(dist);
  for (const name of ["ghostscript-zygote", "ghostscript-warm-up.ps"]) {
    cpSync(join(import.meta.dirname, "../../../dist", name), join(dist, name));
  }
  await using engine = await startGhostscript({ scratch, log() {}, dist });
  expect(engine.mode).toBe("zygote");
  const program = join(dist, "ghostscript-zygote");
  renameSync(program, `${program}.away`);
  process.kill(engine.pid!, "SIGKILL");
  await eventually(() => expect(engine.mode).toBe("plain"));
  expect((await convert(engine, pages(2))).pages).toBe(2);
  // A program that starts and then gives up is not a zygote either.
  writeFileSync(program, '#!/bin/sh\necho \'{"ready":false,"reason":"no"}\'\n', { mode: 0o755 });
  expect((await convert(engine, pages(2))).pages).toBe(2);
  renameSync(`${program}.away`, program);
  await eventually(() => expect(engine.mode).toBe("zygote"));
  expect((await convert(engine, pages(2))).pages).toBe(2);
});

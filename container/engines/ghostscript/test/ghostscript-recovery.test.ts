// Kills or freezes Ghostscript's processes. Tests that programs still run, and that no files or processes remain.
import { cpSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pages } from "../../../../test/fixtures/postscript.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { convert, documents, openGhostscripts, plain, scratch, zygote } from "../../../../test/support/ghostscripts.ts";
import { failsWith } from "../../../../test/support/libreoffice.ts";
import { aChild, isRunning, nameOf, processTree } from "../../../../test/support/processes.ts";
import { zygoteFaults } from "../../../../test/support/zygote-faults.ts";
import { startGhostscript } from "../ghostscript.ts";
import { PdfRewriter } from "../pdf.ts";

openGhostscripts();

/**
 * A program that prints one page after three seconds: long enough to be observed while it runs, even on a busy machine.
 */
const SLOW = "%!PS\n/until realtime 3000 add def { realtime until gt { exit } if } loop showpage\n";
const ENDLESS = "%!PS\n{ } loop\n";
const works = async () => expect((await convert(zygote, pages(2))).pages).toBe(2);

const { nothingIsLeft, testLosses, testEndsTwice } = zygoteFaults({
  unit: "program",
  engine: () => zygote,
  long: async () => expect((await convert(zygote, SLOW)).pages).toBe(1),
  works,
  noFileIsLeft: () => expect(readdirSync(scratch.path).map((name) => name.split("-")[0])).toEqual(["zygote"]),
});

/** Returns the process of the plain Ghostscript that runs a document. */
const plainAtWork = () =>
  eventually(
    () => {
      const found = processTree(process.pid).find((pid) => nameOf(pid) === "gs\n" && isRunning(pid));
      if (found === undefined) throw new Error("not there yet");
      return found;
    },
    { intervalMs: 5 },
  );

describe.each(["SIGKILL", "SIGSTOP"] as const)("by %s", (signal) => {
  testLosses(signal);

  test("a Ghostscript started for one program: the program is run by another one", async () => {
    const converted = convert(plain, SLOW);
    const pid = await plainAtWork();
    process.kill(pid, signal);
    expect((await converted).pages).toBe(1);
    await nothingIsLeft([pid]);
  });

  test("a Ghostscript that writes a PDF anew: another one does", async () => {
    const { path } = await convert(zygote, pages(1000));
    const output = join(documents, `rewritten-${signal}.pdf`);
    const rewriting = new PdfRewriter(scratch).rewrite(path, output, { version: "1.7" }, new AbortController().signal);
    const pid = await plainAtWork();
    process.kill(pid, signal);
    await rewriting;
    await nothingIsLeft([pid]);
  });
});

testEndsTwice([
  ["SIGABRT", "too-complex"],
  ["SIGKILL", "busy"],
]);

test("a program whose process and zygote are frozen is told when its time is up", async () => {
  const before = zygote.pid!;
  const outcome = expect(convert(zygote, ENDLESS, { timeoutMs: 2_000 })).rejects.toEqual(failsWith("timed-out"));
  const child = await aChild(zygote);
  for (const pid of [before, child]) process.kill(pid, "SIGSTOP");
  await outcome;
  await nothingIsLeft([before, child]);
});

/** Copies the files of the zygote. */
function install(dist: string): void {
  mkdirSync(dist);
  for (const name of ["ghostscript-warm-up.ps", "ghostscript-zygote"]) {
    cpSync(join(import.meta.dirname, "../../../dist", name), join(dist, name));
  }
}

test("a zygote that is not ready at first: programs are run the plain way, until it is", async () => {
  const dist = join(documents, "later");
  const told: string[] = [];
  await using engine = await startGhostscript({ scratch, log: (message) => void told.push(message), dist });
  expect(engine.mode).toBe("plain");
  expect((await convert(engine, pages(2))).pages).toBe(2);
  install(dist);
  await eventually(() => expect(engine.mode).toBe("zygote"));
  expect((await convert(engine, pages(2))).pages).toBe(2);
  // Repeated failures of the start are logged only once.
  expect([told[0], told.at(-1)]).toEqual(["engine fallback chosen", "zygote warmed"]);
  expect(told.length).toBeLessThanOrEqual(3);
});

test("a zygote that cannot be started again: programs are run the plain way, until it can", async () => {
  const dist = join(documents, "dist");
  install(dist);
  await using engine = await startGhostscript({ scratch, log() {}, dist });
  expect(engine.mode).toBe("zygote");
  const program = join(dist, "ghostscript-zygote");
  renameSync(program, `${program}.away`);
  process.kill(engine.pid!, "SIGKILL");
  await eventually(() => expect(engine.mode).toBe("plain"));
  expect((await convert(engine, pages(2))).pages).toBe(2);
  // Replaces the program by one that starts, but reports that it is not ready.
  writeFileSync(program, '#!/bin/sh\necho \'{"ready":false,"reason":"no"}\'\n', { mode: 0o755 });
  expect((await convert(engine, pages(2))).pages).toBe(2);
  renameSync(`${program}.away`, program);
  await eventually(() => expect(engine.mode).toBe("zygote"));
  expect((await convert(engine, pages(2))).pages).toBe(2);
});

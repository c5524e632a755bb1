// A browser that is disturbed as it starts: it is started again in the same confinement, not in a weaker one.
import { existsSync } from "node:fs";
import { chmod, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Confinement } from "../../container/engines/chromium-launch.ts";
import { PROGRAMS } from "../../container/engines/chromium-launch.ts";
import { openScratch, scratch, startChromium } from "../support/chromiums.ts";

openScratch();

/** As far as this machine allows. */
let best: Confinement;

beforeAll(async () => {
  await using chromium = await startChromium({ ready: 1 });
  best = chromium.confinement!;
});

/** @returns a program that begins with this shell command, so many times, before it is the browser */
async function disturbed(times: number, command: string): Promise<string> {
  const folder = await mkdtemp(join(scratch.path, "disturbed-"));
  // It runs as another user.
  await chmod(folder, 0o777);
  const program = join(folder, "program");
  const browser = PROGRAMS.find(existsSync)!;
  const lines = [
    "#!/bin/sh",
    `for count in $(seq ${times}); do`,
    `  if mkdir ${folder}/$count 2>/dev/null; then ${command}; fi`,
    "done",
    `exec ${browser} "$@"`,
  ];
  await writeFile(program, lines.join("\n"), { mode: 0o755 });
  return program;
}

test.each([
  ["killed", 4, "kill -KILL $$"],
  ["ended", 2, "kill -TERM $$"],
  ["stopped", 2, "kill -STOP $$"],
  ["deprived of a process that it needs", 1, "exit 1"],
])("%s: %i times", async (_, times, command) => {
  await using chromium = await startChromium({ ready: 1, programs: [await disturbed(times, command)] });
  expect(chromium.confinement).toEqual(best);
});

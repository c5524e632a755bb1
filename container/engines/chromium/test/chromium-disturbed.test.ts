// Disturbs a browser during its start. Tests that it restarts in the same confinement, not in a weaker one.
import { existsSync } from "node:fs";
import { chmod, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openScratch, scratch, startChromium } from "../../../../test/support/chromiums.ts";
import { PROGRAMS } from "../launch.ts";
import type { Confinement } from "../network/confinement.ts";

openScratch();

/** The strongest confinement that this machine allows. */
let best: Confinement;

beforeAll(async () => {
  await using chromium = await startChromium({ ready: 1 });
  best = chromium.confinement!;
});

/** @returns a program that becomes the browser, but first runs a shell command, `times` times over all its starts */
async function disturbed(times: number, command: string): Promise<string> {
  const folder = await mkdtemp(join(scratch.path, "disturbed-"));
  // The program runs as another user, who must be able to write to the folder.
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

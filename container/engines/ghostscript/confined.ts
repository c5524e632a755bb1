// Runs a new Ghostscript in the folder of one job. A document that takes control of it still cannot read other clients'
// files, open sockets or start programs.

import { chown, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { deployedFonts } from "../../fonts/deployed-fonts.ts";
import { MADE_FONTS } from "../../fonts/system-fonts.ts";
import { type ExitResult, type ProcessLimits, run } from "../../processes/process.ts";

export interface ConfinedOptions {
  /** Folder of the job. The user becomes its owner. */
  readonly folder: string;
  /** ID of the user that Ghostscript runs as. */
  readonly user: number;
  readonly limits: ProcessLimits;
  readonly signal?: AbortSignal;
}

const READABLE = [
  "/usr",
  "/lib64",
  "/etc",
  "/var/lib/ghostscript",
  "/var/cache/fontconfig",
  "/proc",
  "/dev",
  MADE_FONTS,
];

export async function runConfined(
  args: readonly string[],
  { folder, user, limits, signal }: ConfinedOptions,
): Promise<ExitResult> {
  const temporary = join(folder, "temporary");
  await mkdir(temporary, { mode: 0o700 });
  if (process.getuid?.() === 0) for (const path of [folder, temporary]) await chown(path, user, user);
  return run("/usr/bin/gs", args, {
    ...{ cwd: folder, limits, user, env: { TMPDIR: temporary } },
    files: { readable: [...READABLE, ...deployedFonts()], writable: [folder] },
    ...(signal ? { signal } : {}),
  });
}

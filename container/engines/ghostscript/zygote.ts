// Prepares the start of Ghostscript's zygote (container/ghostscript).

import { existsSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { minimalEnvironment } from "../../processes/process.ts";
import { type Launch, NotReady } from "../../processes/resident.ts";
import type { Scratch } from "../../scratch/scratch.ts";

/** First of the users that the processes run programs as, if this process is root. */
export const firstGhostscriptUser = 60_600;

/** @throws NotReady */
export async function prepareGhostscript(scratch: Scratch, children: number, dist: string): Promise<Launch> {
  const program = join(dist, "ghostscript-zygote");
  if (!existsSync(program)) throw new NotReady(`${program} is not built`);
  const folder = await scratch.folder("zygote");
  // Children change their user and must still pass through.
  await chmod(folder.path, 0o711);
  const work = join(folder.path, "work");
  await mkdir(work, { mode: 0o711 });
  const args = [
    ...["--warm-up", join(dist, "ghostscript-warm-up.ps")],
    ...["--children", String(children), "--first-user", String(firstGhostscriptUser)],
  ];
  return { program, args, cwd: work, env: minimalEnvironment(folder.path), folder };
}

// Prepares the start of Ghostscript's zygote (zygote/main.cpp).

import { existsSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { minimalEnvironment } from "../../processes/process.ts";
import { firstUserOf, USERS } from "../../processes/users.ts";
import type { Scratch } from "../../scratch/scratch.ts";
import { type Launch, NotReady } from "../../supervision/resident.ts";

/** @throws NotReady */
export async function prepareGhostscript(scratch: Scratch, children: number, dist: string): Promise<Launch> {
  const program = join(dist, "ghostscript-zygote");
  if (!existsSync(program)) throw new NotReady(`${program} is not built`);
  const firstUser = firstUserOf(USERS.ghostscriptZygote, children);
  const folder = await scratch.folder("zygote");
  // Children change their user and must still be able to enter subfolders.
  await chmod(folder.path, 0o711);
  const work = join(folder.path, "work");
  await mkdir(work, { mode: 0o711 });
  const args = [
    ...["--warm-up", join(dist, "ghostscript-warm-up.ps")],
    ...["--children", String(children), "--first-user", String(firstUser)],
  ];
  return { program, args, cwd: work, env: minimalEnvironment(folder.path), folder };
}

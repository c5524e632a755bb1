// Prepares the start of LibreOffice's zygote (zygote/main.cpp): its profile, folders and environment.

import { existsSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { minimalEnvironment } from "../../processes/process.ts";
import { firstUserOf, USERS } from "../../processes/users.ts";
import { type Launch, NotReady } from "../../supervision/resident.ts";
import type { LibreOfficeSettings } from "./job.ts";
import { makeProfile, PROGRAM_FOLDER } from "./profile.ts";

/** @throws NotReady */
export async function prepareLibreOffice({
  scratch,
  children,
  dist,
}: Required<Pick<LibreOfficeSettings, "scratch" | "children" | "dist">>): Promise<Launch> {
  const program = join(dist, "zygote");
  if (!existsSync(program)) throw new NotReady(`${program} is not built`);
  const firstUser = firstUserOf(USERS.libreOfficeZygote, children);
  const folder = await scratch.folder("zygote");
  // Children change their user and must still read the profile.
  await chmod(folder.path, 0o711);
  const profile = join(folder.path, "profile");
  await makeProfile(profile);
  const work = join(folder.path, "work");
  await mkdir(work, { mode: 0o711 });
  const args = [
    ...["--program", PROGRAM_FOLDER, "--profile", profile, "--samples", join(dist, "samples")],
    ...["--children", String(children), "--first-user", String(firstUser)],
  ];
  return { program, args, cwd: work, env: environment(folder.path), folder };
}

/**
 * Returns the zygote's environment. Huge pages for the heap (glibc's manual, memory allocation tunables) save children
 * 5 % of their time.
 */
function environment(home: string): Record<string, string> {
  return { ...minimalEnvironment(home), GLIBC_TUNABLES: "glibc.malloc.hugetlb=1" };
}

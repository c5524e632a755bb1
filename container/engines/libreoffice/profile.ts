// LibreOffice's user profile: made anew for every start, from the one file of settings that is ours.

import { chmod, copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";

const settings = join(import.meta.dirname, "profile.xcu");

/** Where Debian's packages put it. */
export const programFolder = "/usr/lib/libreoffice/program";

/** Users for the processes that open documents, where this process is root: this one and those that follow. */
export const firstUser = 60_500;

/** @param folder is made; readable for other users, as it holds no secret */
export async function makeProfile(folder: string): Promise<void> {
  await mkdir(join(folder, "user"), { recursive: true });
  await copyFile(settings, join(folder, "user/registrymodifications.xcu"));
  await chmod(folder, 0o755);
}

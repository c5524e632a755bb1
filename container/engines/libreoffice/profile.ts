// Creates a new user profile for every start of LibreOffice, from the settings in this folder.

import { chmod, copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";

const SETTINGS = join(import.meta.dirname, "profile.xcu");

/** Installation folder of Debian's packages. */
export const PROGRAM_FOLDER = "/usr/lib/libreoffice/program";

/** @param folder to create; other users can read it, because it contains no secret */
export async function makeProfile(folder: string): Promise<void> {
  await mkdir(join(folder, "user"), { recursive: true });
  await copyFile(SETTINGS, join(folder, "user/registrymodifications.xcu"));
  await chmod(folder, 0o755);
}

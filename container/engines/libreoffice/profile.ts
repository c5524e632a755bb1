// Creates a new user profile for every start of LibreOffice, from the settings in this folder.

import { chmod, copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";

const SETTINGS = join(import.meta.dirname, "profile.xcu");

/** Installation folder. `LIBREOFFICE` names one that is not Debian's, for tests of another version. */
export const INSTALLATION = process.env.LIBREOFFICE ?? "/usr/lib/libreoffice";
export const PROGRAM_FOLDER = join(INSTALLATION, "program");

/** @param folder to create; other users can read it, because it contains no secret */
export async function makeProfile(folder: string): Promise<void> {
  await mkdir(join(folder, "user"), { recursive: true });
  await copyFile(SETTINGS, join(folder, "user/registrymodifications.xcu"));
  await chmod(folder, 0o755);
}

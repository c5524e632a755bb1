// Creates a new user profile for every start of LibreOffice, from the settings in this folder.

import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";

const SETTINGS = join(import.meta.dirname, "profile.xcu");

/** Installation on a Debian that is older than Debian 13 (debian-13.sh). */
const FOLDER_OF_ITS_OWN = "/opt/pagewright/libreoffice";

/** Installation folder. */
export const INSTALLATION = existsSync(FOLDER_OF_ITS_OWN) ? FOLDER_OF_ITS_OWN : "/usr/lib/libreoffice";
export const PROGRAM_FOLDER = join(INSTALLATION, "program");
/** The command that starts LibreOffice with its own settings. */
export const SOFFICE = join(PROGRAM_FOLDER, "soffice");

/** @param folder to create; other users can read it, because it contains no secret */
export async function makeProfile(folder: string): Promise<void> {
  await mkdir(join(folder, "user"), { recursive: true });
  await copyFile(SETTINGS, join(folder, "user/registrymodifications.xcu"));
  await chmod(folder, 0o755);
}

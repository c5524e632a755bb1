// Provides the fonts and CMaps of the system's packages, for documents whose fonts are not embedded. install-engines.sh
// installs them.

import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { FontShelf } from "../../src/core/font-shelf.ts";

const FONT_FOLDER = "/usr/share/fonts";
/** Folder of poppler-data, with one folder for each character collection. */
const CMAP_FOLDER = "/usr/share/poppler/cMap";
const FONT_FILE = /^(.+)\.(?:ttf|otf|ttc)$/;

/** Paths by name, searched when the first one is requested. */
class SystemShelf implements FontShelf {
  #faces: Promise<ReadonlyMap<string, string>> | undefined;
  #maps: Promise<ReadonlyMap<string, string>> | undefined;

  async face(name: string): Promise<Uint8Array | undefined> {
    this.#faces ??= pathsIn(FONT_FOLDER, (file) => FONT_FILE.exec(file)?.[1]);
    return read((await this.#faces).get(name));
  }

  async cmap(name: string): Promise<Uint8Array | undefined> {
    this.#maps ??= pathsIn(CMAP_FOLDER, (file) => file);
    return read((await this.#maps).get(name));
  }
}

export const systemShelf: FontShelf = new SystemShelf();

/**
 * Returns paths by name. If several files have one name, the last counts: Debian numbers newer packages of the same
 * fonts.
 */
async function pathsIn(folder: string, nameOf: (file: string) => string | undefined): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({ path: join(parentPath, name), name }));
  files.sort((one, other) => (one.path < other.path ? -1 : 1));
  const paths = new Map<string, string>();
  for (const { path, name } of files) {
    const key = nameOf(name);
    if (key !== undefined) paths.set(key, path);
  }
  return paths;
}

const read = async (path: string | undefined): Promise<Uint8Array | undefined> =>
  path === undefined ? undefined : readAtOnce(path);

/** Reads a file synchronously: the system has it in memory, and this thread does nothing else meanwhile. */
function readAtOnce(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

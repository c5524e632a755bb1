// Provides the fonts and CMaps of installed packages (install-engines.sh), and the fonts of make-fonts.ts, for documents
// whose fonts are not embedded.

import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FontProvider } from "../../src/document/contract/font-provider.ts";

/** Folder of make-fonts.ts. */
export const MADE_FONTS = join(import.meta.dirname, "../dist/fonts");
/** Names of fontconfig's configurations in this folder (fontconfig.ts). */
export const OFFICE_RULES = "fonts.conf";
export const WEB_RULES = "web-fonts.conf";
/** Cache of fontconfig for WEB_RULES. */
export const WEB_CACHE = `${MADE_FONTS}-web-cache`;
export const SYSTEM_FONTS = "/usr/share/fonts";
/** Folder of poppler-data, with one folder for each character collection. */
const CMAP_FOLDER = "/usr/share/poppler/cMap";
const FONT_FILE = /^(.+)\.(?:ttf|otf|ttc)$/;

/** Finds fonts and CMaps by name. Searches the folders when the first one is requested. */
class SystemShelf implements FontProvider {
  #faces: ReadonlyMap<string, string> | undefined;
  #maps: ReadonlyMap<string, string> | undefined;

  face(name: string): Uint8Array | undefined {
    this.#faces ??= fontPaths([SYSTEM_FONTS, MADE_FONTS]);
    return read(this.#faces.get(name));
  }

  cmap(name: string): Uint8Array | undefined {
    this.#maps ??= pathsIn([CMAP_FOLDER], (file) => file);
    return read(this.#maps.get(name));
  }
}

export const systemFonts: FontProvider = new SystemShelf();

/** Returns the paths of font files, by name without extension. */
export const fontPaths = (folders: readonly string[]): Map<string, string> =>
  pathsIn(folders, (file) => FONT_FILE.exec(file)?.[1]);

/**
 * Returns paths by name. If several files have the same name, returns the last one, which is in the last folder, or
 * belongs to the newest of Debian's numbered packages.
 */
function pathsIn(folders: readonly string[], nameOf: (file: string) => string | undefined): Map<string, string> {
  const paths = new Map<string, string>();
  for (const folder of folders) {
    const files = entriesOf(folder)
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => ({ path: join(parentPath, name), name }));
    files.sort((one, other) => (one.path < other.path ? -1 : 1));
    for (const { path, name } of files) {
      const key = nameOf(name);
      if (key !== undefined) paths.set(key, path);
    }
  }
  return paths;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch {
    return [];
  }
}

function read(path: string | undefined): Uint8Array | undefined {
  try {
    return path === undefined ? undefined : readFileSync(path);
  } catch {
    return undefined;
  }
}

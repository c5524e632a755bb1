// Provides the machine's fonts and CMaps to tests of fonts.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { FontProvider } from "../../src/document/contract/font-provider.ts";

const FONTS = "/usr/share/fonts";
const FOLDERS = ["truetype/liberation", "truetype/dejavu", "truetype/noto", "opentype/urw-base35", "opentype/noto"];
const CMAPS = "/usr/share/poppler/cMap";

const read = (paths: readonly string[]) => {
  const path = paths.find((one) => existsSync(one));
  return path === undefined ? undefined : new Uint8Array(readFileSync(path));
};

export function machineFace(name: string): Uint8Array | undefined {
  return read(FOLDERS.flatMap((folder) => ["ttf", "otf", "ttc"].map((kind) => `${FONTS}/${folder}/${name}.${kind}`)));
}

/** Returns a font in Type 1 format. */
export const machineType1 = (name: string): Uint8Array | undefined => read([`${FONTS}/type1/urw-base35/${name}.t1`]);

export const machineShelf: FontProvider = {
  face: (name) => machineFace(name),
  cmap: (name) => read(readdirSync(CMAPS).map((folder) => `${CMAPS}/${folder}/${name}`)),
};

/** True if the machine has the fonts that the tests need. If false, the tests are skipped with a message. */
export const hasMachineFonts: boolean =
  existsSync(CMAPS) &&
  machineType1("NimbusSans-Regular") !== undefined &&
  machineFace("LiberationSans-Regular") !== undefined;
if (!hasMachineFonts)
  console.log("Liberation, URW's fonts or poppler-data are not installed: tests of fonts are skipped.");

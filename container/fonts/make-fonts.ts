// Makes the fonts of container/dist/fonts: fonts of packages that install them elsewhere, fitted fonts, collections with
// more members, and symbols. Writes the configurations of fontconfig and Ghostscript beside them. Does nothing if all of
// them are current.
// Usage: node container/fonts/make-fonts.ts

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { REPLACEMENTS, sourcesOf, wordFamilyOf } from "../../src/document/fonts/replacements/replacements.ts";
import { SYMBOL_FONTS } from "../../src/document/fonts/replacements/symbols.ts";
import { makeFitted } from "./fitted-fonts.ts";
import { type FontRules, fontconfigRules } from "./fontconfig.ts";
import { fontmap } from "./fontmap.ts";
import { makeLined } from "./lined-fonts.ts";
import { makeSymbols } from "./symbol-fonts.ts";
import { fontPaths, MADE_FONTS, SYSTEM_FONTS } from "./system-fonts.ts";

const root = join(import.meta.dirname, "../..");
const SOURCES = [
  SYSTEM_FONTS,
  "/usr/share/wine/fonts",
  join(root, "node_modules/@expo-google-fonts"),
  join(root, "container/dist/caladea"),
];
/** Code and data on which the made fonts depend. */
const CODE = ["container/fonts", "src/document/fonts/replacements", "src/document/fonts/truetype"];
const STAMP = "made.sha256";

/** Reports whether the fonts are made of the installed ones by this code. @throws Error if a font is not installed */
export const areFontsMade = (): boolean => readStamp() === fingerprint(fontconfigRules(), sourcePaths());

/** Makes the fonts anew. A second process must not do it at the same time. @throws Error if a font is not installed */
function makeFonts(): void {
  const pathOf = sourcePaths();
  const read = (name: string) => new Uint8Array(readFileSync(pathOf(name)));
  const fitted = REPLACEMENTS.filter(({ widths }) => widths === "fitted");
  const lined = REPLACEMENTS.filter(({ widths, lines }) => widths !== "fitted" && lines);
  const others = REPLACEMENTS.filter(({ widths, lines }) => widths !== "fitted" && !lines);
  const folder = `${MADE_FONTS}.new`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const path of others.flatMap(sourcesOf).map(pathOf)) {
    if (!path.startsWith(SYSTEM_FONTS)) copyFileSync(path, join(folder, basename(path)));
  }
  const made = [
    ...fitted.flatMap((one) => makeFitted(one, read)),
    ...SYMBOL_FONTS.map((one) => makeSymbols(one, read)),
  ];
  for (const { name, bytes } of made) writeFileSync(join(folder, `${name}.ttf`), bytes);
  for (const { name, bytes } of makeLined(lined, read)) writeFileSync(join(folder, `${name}.ttc`), bytes);
  const rules = fontconfigRules();
  for (const { file, text } of rules) writeFileSync(join(folder, file), text);
  const places = fontPaths([SYSTEM_FONTS, folder]);
  writeFileSync(
    join(folder, "Fontmap"),
    fontmap((name) => places.get(name)!.replace(folder, MADE_FONTS)),
  );
  writeFileSync(join(folder, "word-fonts.txt"), wordFonts());
  writeFileSync(join(folder, STAMP), fingerprint(rules, pathOf));
  rmSync(MADE_FONTS, { recursive: true, force: true });
  renameSync(folder, MADE_FONTS);
  for (const { file } of rules) {
    execFileSync("fc-cache", { env: { ...process.env, FONTCONFIG_FILE: join(MADE_FONTS, file) } });
  }
}

/** Returns a function that returns the path of an installed font by its name without extension. */
function sourcePaths(): (name: string) => string {
  const paths = fontPaths(SOURCES);
  return (name) => {
    const path = paths.get(name);
    if (path !== undefined) return path;
    throw new Error(`The font ${name} is not installed. container/install-engines.sh does that.`);
  };
}

/** Returns a line for each name of a font that is taller in Word: the name, a tab, and the family. */
const wordFonts = (): string =>
  REPLACEMENTS.filter(({ isTallerInWord }) => isTallerInWord)
    .flatMap((one) => one.names.map((name) => `${name}\t${wordFamilyOf(one)}\n`))
    .join("");

function fingerprint(rules: readonly FontRules[], pathOf: (name: string) => string): string {
  const hash = createHash("sha256").update(JSON.stringify(rules));
  for (const folder of CODE) {
    for (const name of readdirSync(join(root, folder)).sort()) hash.update(readFileSync(join(root, folder, name)));
  }
  for (const path of REPLACEMENTS.flatMap(sourcesOf).map(pathOf)) hash.update(`${path} ${statSync(path).size}\n`);
  return hash.digest("hex");
}

function readStamp(): string | undefined {
  try {
    return readFileSync(join(MADE_FONTS, STAMP), "utf8");
  } catch {
    return undefined;
  }
}

if (import.meta.main && !areFontsMade()) makeFonts();

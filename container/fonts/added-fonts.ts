// Fonts that are added to the installed ones: those of the deployment, for all jobs, and those of a request. They are
// checked before an engine reads them.

import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { OutOfRange } from "../../src/document/contract/failure.ts";
import { LIMITS } from "../../src/document/contract/limits.ts";
import type { Input } from "../../src/document/contract/operation.ts";
import { type FontFace, readFaces } from "../../src/document/fonts/truetype/faces.ts";
import { writeSfnt } from "../../src/document/fonts/truetype/subset-truetype.ts";
import { FONT } from "../../src/operations/to-pdf/fonts.ts";
import { type NamedFont, useFonts } from "./deployed-fonts.ts";

type Log = (message: string, details?: Record<string, unknown>) => void;

/**
 * Copies the fonts of a folder, and of the folders in it, so that all engines can read them. From then on, engines that
 * start have them. Logs files that are no fonts, or cannot be read. Leaves out hidden files.
 * @param to an empty folder in a folder that engines, which run as other users, can enter
 * @throws Error if the folder cannot be read
 */
export async function deployFonts(from: string, to: string, log: Log): Promise<void> {
  const folder = join(to, "fonts");
  await mkdir(folder);
  for (const each of [to, folder]) await chmod(each, 0o755);
  let count = 0;
  const named: NamedFont[] = [];
  for (const name of (await readdir(from, { recursive: true })).sort()) {
    const file = join(from, name);
    const isFile = await stat(file).then(
      (facts) => facts.isFile(),
      () => undefined,
    );
    if (/(^|\/)\./.test(name) || isFile === false) continue;
    const bytes = await readFile(file).catch(() => undefined);
    const faces = bytes && readFaces(bytes);
    if (!faces) {
      log("font not used", { file: name });
      continue;
    }
    const path = join(folder, `${count++}${extensionOf(bytes)}`);
    await writeFile(path, bytes, { mode: 0o644 });
    if (faces.length === 1) named.push({ path, names: faces[0]!.fullNames });
  }
  log("fonts deployed", { count });
  useFonts({ folder: to, named });
}

/** A font of a request. */
export interface AddedFont {
  /** The client's file name. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly faces: readonly FontFace[];
}

/** Reads the fonts among the inputs of a job. @throws OutOfRange `font_files` if one is no font */
export const fontsIn = async (inputs: readonly Input[]): Promise<readonly AddedFont[]> =>
  Promise.all(
    inputs
      .filter(({ role }) => role === FONT)
      .map(async (input) => {
        const bytes = await input.bytes();
        const faces = readFaces(bytes);
        const name = basename(input.name);
        if (faces) return { name, bytes, faces };
        throw new OutOfRange("font_files", name, "It is not a TrueType or OpenType font, or is damaged.");
      }),
  );

/** A font that is not a collection. */
export interface SingleFont extends Pick<AddedFont, "name" | "bytes"> {
  readonly face: FontFace;
}

/**
 * Divides collections, for engines that read only the first font of one.
 * @throws OutOfRange `font_files` for a collection that becomes too large, because its fonts share their outlines
 */
export function divided(fonts: readonly AddedFont[]): readonly SingleFont[] {
  let leftBytes = 2 * LIMITS.fontBytes;
  return fonts.flatMap(({ name, bytes, faces }) => {
    if (faces.length === 1) return [{ name, bytes, face: faces[0]! }];
    for (const { tables } of faces) for (const table of tables.values()) leftBytes -= table.length;
    if (leftBytes < 0) throw new OutOfRange("font_files", name, "The fonts of the collection are too large.");
    return faces.map((face) => ({ name, bytes: writeSfnt(face.version, face.tables), face }));
  });
}

/** Folder in a job's folder in which engines find the fonts of the request. fontconfig reads it in the home folder. */
const FOLDER = ".fonts";

/**
 * Writes fonts to a job's folder, so that all users can read them. Without fonts, does nothing.
 * @returns their paths in the folder
 */
export async function writeFonts(
  fonts: readonly Pick<AddedFont, "bytes">[],
  folder: string,
): Promise<readonly string[]> {
  if (fonts.length === 0) return [];
  await mkdir(join(folder, FOLDER));
  await chmod(join(folder, FOLDER), 0o755);
  return Promise.all(
    fonts.map(async ({ bytes }, index) => {
      const path = join(FOLDER, `${index}${extensionOf(bytes)}`);
      await writeFile(join(folder, path), bytes, { mode: 0o644 });
      return path;
    }),
  );
}

const EXTENSIONS: Readonly<Record<string, string>> = { OTTO: ".otf", ttcf: ".ttc" };

const extensionOf = (bytes: Uint8Array): string => EXTENSIONS[String.fromCharCode(...bytes.subarray(0, 4))] ?? ".ttf";

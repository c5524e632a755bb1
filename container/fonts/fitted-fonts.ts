// Makes a family with the widths and line height of a replaced font (src/document/fonts/replacements/replacements.ts).
import {
  familyOf,
  filesOf,
  type Replacement,
  STYLES,
  sourcesOf,
} from "../../src/document/fonts/replacements/replacements.ts";
import { readCmap } from "../../src/document/fonts/truetype/cmap.ts";
import { fitTrueType, type Widths, widthsOf } from "../../src/document/fonts/truetype/fit-truetype.ts";
import { readTrueType, type TrueTypeFont } from "../../src/document/fonts/truetype/truetype.ts";
import recorded from "./widths.json" with { type: "json" };

export interface MadeFile {
  /** File name without extension. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Keys of widths.json, and the styles whose recorded widths stand in for missing ones, by style. */
const RECORDED: readonly { readonly key: string; readonly standIns: readonly number[] }[] = [
  { key: "regular", standIns: [] },
  { key: "bold", standIns: [0] },
  { key: "italic", standIns: [0] },
  { key: "boldItalic", standIns: [1, 2, 0] },
];

const tables: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>> = recorded;

/**
 * Returns the recorded advance widths of a font by character, in thousandths of the font size; they come from PDFs in
 * which Office embedded the font. Undefined if there are none for the style.
 * @param style index in a family's faces
 */
export function recordedWidths(name: string, style: number): Widths | undefined {
  const table = tables[name]?.[RECORDED[style]!.key];
  if (!table) return undefined;
  const widths = Object.entries(table).flatMap(([width, characters]) =>
    [...characters].map((character) => [character, Number(width)] as const),
  );
  return new Map(widths);
}

/**
 * @param read returns the bytes of a font file by its name without extension
 * @throws Error if a font is missing or cannot be fitted
 */
export function makeFitted(replacement: Replacement, read: (name: string) => Uint8Array): MadeFile[] {
  const faces = sourcesOf(replacement).map((file) => {
    const font = readTrueType(read(file));
    if (!font) throw new Error(`${file} is not a TrueType font.`);
    return font;
  });
  const files = filesOf(replacement);
  return faces.map((face, style) => {
    const names = { family: familyOf(replacement), style: STYLES[style]! };
    const known = widthsFor(replacement.names[0], faces, style);
    const file = replacement.widthsFrom?.[style];
    const widths = file === undefined ? known : new Map([...allWidths(file, read(file)), ...known]);
    const bytes = fitTrueType(face, { names, widths, lines: replacement.lines });
    if (!bytes) throw new Error(`${files[style]} could not be made.`);
    return { name: files[style]!, bytes };
  });
}

/** Returns the widths of all characters of a font. @throws Error if it is not a TrueType font */
function allWidths(file: string, bytes: Uint8Array): Widths {
  const font = readTrueType(bytes);
  if (!font) throw new Error(`${file} is not a TrueType font.`);
  const widthOf = widthsOf(font);
  const characters = (readCmap(font) ?? []).flatMap((map) =>
    [...map.entries()].map(([code]) => String.fromCodePoint(code)),
  );
  return new Map(
    characters.map((character) => [character, widthOf(character) ?? 0] as const).filter(([, width]) => width > 0),
  );
}

/** If no widths are recorded for a style, its own widths are scaled as those of the style that stands in for it. */
function widthsFor(name: string, faces: readonly TrueTypeFont[], style: number): Widths {
  const own = recordedWidths(name, style);
  if (own) return own;
  const standIn = RECORDED[style]!.standIns.find((other) => recordedWidths(name, other));
  if (standIn === undefined) throw new Error(`No widths of ${name} are recorded.`);
  const [here, there] = [widthsOf(faces[style]!), widthsOf(faces[standIn]!)];
  const widths = new Map<string, number>();
  for (const [character, width] of recordedWidths(name, standIn)!) {
    const [one, other] = [here(character), there(character)];
    if (one && other) widths.set(character, (width * one) / other);
  }
  return widths;
}

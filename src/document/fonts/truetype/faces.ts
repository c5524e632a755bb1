// Reads the faces of a font file that a client or operator provides: TrueType or OpenType fonts, and collections of
// them (OpenType, "OpenType Font File"). Rejects files that are no fonts, or lack what every program needs to use them.
import type { CollectionMember } from "./collection.ts";
import { viewOf } from "./truetype.ts";

export interface FontFace extends CollectionMember {
  /** Names of the family, in all languages, of which the first is the font's main name. */
  readonly families: readonly [string, ...string[]];
  /** Names of the face itself, such as `Carlito-Bold` and `Carlito Bold`; empty if it has none. */
  readonly fullNames: readonly string[];
  /** Weights from 1 to 1000, lowest and highest, which are equal unless the font is variable; 400 is regular. */
  readonly weights: readonly [number, number];
  readonly isItalic: boolean;
  /** Width of the letters, from 1 to 9; 5 is normal. */
  readonly widthClass: number;
}

const COLLECTION = 0x74746366;
/** TrueType, Apple's TrueType, and OpenType with CFF. */
const VERSIONS = [0x00010000, 0x74727565, 0x4f54544f];
const HEAD_MAGIC = 0x5f0f3cf5;
/** Tables that every font has, and their minimum sizes. */
const REQUIRED = { head: 54, hhea: 36, hmtx: 4, maxp: 6, cmap: 4, name: 6 };
const OUTLINES = ["glyf", "CFF ", "CFF2"];
const MOST_FACES = 128;
const MOST_TABLES = 128;
/** Name IDs: family, full name, PostScript name, typographic family. */
const [FAMILY, FULL_NAME, POSTSCRIPT_NAME, TYPOGRAPHIC_FAMILY] = [1, 4, 6, 16];

/** @returns undefined if the bytes are not a complete font */
export function readFaces(bytes: Uint8Array): FontFace[] | undefined {
  try {
    const view = viewOf(bytes);
    if (view.getUint32(0) !== COLLECTION) return [readFace(bytes, 0)];
    const count = view.getUint32(8);
    if (count === 0 || count > MOST_FACES) return undefined;
    return Array.from({ length: count }, (_, face) => readFace(bytes, view.getUint32(12 + 4 * face)));
  } catch (error) {
    // A position outside of the file.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** @throws RangeError if the face is not complete */
function readFace(bytes: Uint8Array, start: number): FontFace {
  const view = viewOf(bytes);
  const [version, count] = [view.getUint32(start), view.getUint16(start + 4)];
  check(VERSIONS.includes(version) && count <= MOST_TABLES);
  const tables = new Map<string, Uint8Array>();
  for (let at = start + 12; at < start + 12 + 16 * count; at += 16) {
    const [from, length] = [view.getUint32(at + 8), view.getUint32(at + 12)];
    check(from + length <= bytes.length);
    tables.set(String.fromCharCode(...bytes.subarray(at, at + 4)), bytes.subarray(from, from + length));
  }
  for (const [tag, least] of Object.entries(REQUIRED)) check((tables.get(tag)?.length ?? 0) >= least);
  const [head, maxp] = [viewOf(tables.get("head")!), viewOf(tables.get("maxp")!)];
  const [units, glyphs] = [head.getUint16(18), maxp.getUint16(4)];
  check(head.getUint32(12) === HEAD_MAGIC && units >= 16 && units <= 16_384 && glyphs > 0);
  check(OUTLINES.some((tag) => tables.has(tag)));
  const locations = (glyphs + 1) * (head.getInt16(50) === 0 ? 2 : 4);
  check(!tables.has("glyf") || (tables.get("loca")?.length ?? 0) >= locations);
  const [family, ...others] = [...namesIn(tables, [TYPOGRAPHIC_FAMILY]), ...namesIn(tables, [FAMILY])];
  check(family !== undefined);
  const families = [...new Set([family!, ...others])] as [string, ...string[]];
  return { version, tables, families, fullNames: namesIn(tables, [POSTSCRIPT_NAME, FULL_NAME]), ...styleIn(tables) };
}

function check(isSo: boolean): void {
  if (!isSo) throw new RangeError("not a complete font");
}

type Style = Pick<FontFace, "weights" | "isItalic" | "widthClass">;

function styleIn(tables: ReadonlyMap<string, Uint8Array>): Style {
  const os2 = tables.get("OS/2");
  const macStyle = viewOf(tables.get("head")!).getUint16(44);
  const variable = variableWeights(tables.get("fvar"));
  if (!os2 || os2.length < 64) {
    const weight = (macStyle & 1) !== 0 ? 700 : 400;
    return { weights: variable ?? [weight, weight], isItalic: (macStyle & 2) !== 0, widthClass: 5 };
  }
  const view = viewOf(os2);
  const widthClass = view.getUint16(6);
  const weight = Math.min(Math.max(view.getUint16(4), 1), 1000);
  return {
    weights: variable ?? [weight, weight],
    // Italic and oblique.
    isItalic: (view.getUint16(62) & 0x201) !== 0,
    widthClass: widthClass >= 1 && widthClass <= 9 ? widthClass : 5,
  };
}

const WEIGHT_AXIS = 0x77676874;

/** Returns the weights of a variable font (OpenType, "fvar"), whose numbers are fixed-point. */
function variableWeights(fvar: Uint8Array | undefined): [number, number] | undefined {
  if (!fvar) return undefined;
  const view = viewOf(fvar);
  const [start, count, size] = [view.getUint16(4), view.getUint16(8), view.getUint16(10)];
  const axes = Array.from({ length: count }, (_, axis) => start + axis * size);
  const at = axes.find((place) => view.getUint32(place) === WEIGHT_AXIS);
  if (at === undefined) return undefined;
  const [least, most] = [view.getInt32(at + 4) / 65_536, view.getInt32(at + 12) / 65_536];
  return least >= 1 && least <= most && most <= 1000 ? [least, most] : undefined;
}

const [WINDOWS, MACINTOSH] = [3, 1];
const utf16 = new TextDecoder("utf-16be");
const latin1 = new TextDecoder("latin1");

/** Returns names in all languages, or, if there are none, those for old Macintosh computers. English comes first. */
function namesIn(tables: ReadonlyMap<string, Uint8Array>, ids: readonly number[]): string[] {
  const table = tables.get("name")!;
  const view = viewOf(table);
  const found: { platform: number; isEnglish: boolean; text: string }[] = [];
  const end = Math.min(table.length, 6 + 12 * view.getUint16(2));
  for (let at = 6; at + 12 <= end; at += 12) {
    const platform = view.getUint16(at);
    if (!ids.includes(view.getUint16(at + 6)) || (platform !== WINDOWS && platform !== MACINTOSH)) continue;
    const start = view.getUint16(4) + view.getUint16(at + 10);
    const bytes = table.subarray(start, start + view.getUint16(at + 8));
    const text = (platform === WINDOWS ? utf16 : latin1).decode(bytes).replaceAll("\0", "").trim();
    const language = view.getUint16(at + 4);
    if (text !== "") found.push({ platform, isEnglish: (language & 0x3ff) === 9 || language === 0, text });
  }
  const platform = found.some((one) => one.platform === WINDOWS) ? WINDOWS : MACINTOSH;
  const kept = found.filter((one) => one.platform === platform);
  kept.sort((one, other) => Number(other.isEnglish) - Number(one.isEnglish));
  return [...new Set(kept.map(({ text }) => text))];
}

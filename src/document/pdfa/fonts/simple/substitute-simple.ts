// Embeds a similar face in a simple font that has no readable program. Glyphs keep the widths that the document
// declares, so that lines keep their length.
import { writeCff } from "../../../fonts/cff/writer.ts";
import {
  dingbatsEncoding,
  type Encoding,
  NOTDEF,
  standardEncoding,
  symbolEncoding,
  unicodeOfName,
  winAnsiEncoding,
} from "../../../fonts/names/glyph-names.ts";
import { subsetTag } from "../../../fonts/names/subset-tag.ts";
import { isSymbolic } from "../../../fonts/symbolic.ts";
import { unitsPerEm } from "../../../fonts/truetype/truetype.ts";
import { compactTrueType, symbolMap, type TrueTypeGlyph } from "../../../fonts/truetype/writer.ts";
import { Name } from "../../../objects/values.ts";
import { setWidths, simpleWidths } from "../../../text/font-widths.ts";
import { encodingOf, readSimpleEncoding } from "../../../text/simple-encoding.ts";
import { newDescriptor } from "../descriptor.ts";
import type { Face } from "../face.ts";
import { bestFace, chooseFaces, type FaceChoice, isBlank, substitution } from "../face-choice.ts";
import { type FontProgram, readProgram, setProgram } from "../font-program.ts";
import { listGlyphNames } from "../glyph-lists.ts";
import type { FontTask, RepairedProgram, ShownFont } from "../shown-font.ts";
import { isSound, readToUnicode } from "../to-unicode.ts";
import { wingdingsSign } from "../wingdings.ts";

/** A code with its character and width. */
interface Slot {
  readonly code: number;
  readonly name: string | undefined;
  readonly text: string | undefined;
  /** Character of the code in a made font of symbols. */
  readonly picture?: string;
  /** Width in the font dictionary; undefined if it has none. */
  readonly width: number | undefined;
}

/** Start of the private characters that the made fonts of symbols have for their codes. */
const PRIVATE_USE = 0xf000;
/** Ratio of the document's widths to the face's widths, below which a narrow face is used. */
const NARROW = 0.9;

/**
 * Changes the font dictionary.
 * @returns undefined if no face is suitable
 */
export async function substituteSimple(
  task: FontTask,
  { font, codes }: ShownFont,
): Promise<RepairedProgram | undefined> {
  const { file, level, fonts } = task;
  const baseFont = file.name(font.get("BaseFont")) ?? "Helvetica";
  const oldDescriptor = file.dictionary(font.get("FontDescriptor"));
  const choice = chooseFaces(file, baseFont, oldDescriptor);
  const slots = slotsOf(
    task,
    font,
    codes.map(({ code }) => code),
    choice,
  );
  const count = (face: Face) => slots.filter((slot) => glyphIn(face, slot) > 0).length;
  const wanted = slots.filter(({ text, name }) => text !== undefined || name !== undefined).length;
  const all = choice.faces.map((face) => ({ face, index: 0 }));
  let face = bestFace(fonts, all, count, wanted);
  // The face is unsuitable: characters that it lacks would become blanks.
  if (!face || !hasAll(face, slots)) return undefined;
  if (face.name.startsWith("LiberationSans-") && isNarrow(face, slots)) {
    const narrow = face.name.replace("LiberationSans", "LiberationSansNarrow");
    const other = bestFace(fonts, [{ face: narrow, index: 0 }], count, wanted);
    if (other && hasAll(other, slots)) face = other;
  }
  const made = face.kind === "cff" ? ofCff(face, slots) : ofTrueType(face, slots);
  if (!made) return undefined;
  const name = `${subsetTag(made.program.bytes)}+${face.name}`;
  const descriptor = newDescriptor(name, choice.look);
  setProgram(file, descriptor, made.program, level);
  font.set("Type", Name.of("Font")).set("BaseFont", Name.of(name));
  font.set("Subtype", Name.of(made.program.kind === "truetype" ? "TrueType" : "Type1"));
  if (made.names) font.set("Encoding", encodingOf(made.names));
  else font.delete("Encoding");
  const widths = new Map(made.widths);
  const old = simpleWidths(file, font);
  setWidths(file, font, (code) => widths.get(code) ?? old?.(code) ?? 0, widths.keys());
  if (made.program.kind !== "truetype") listGlyphNames(file, descriptor, name, level);
  font.set("FontDescriptor", file.add(descriptor));
  task.substituted.push(...substitution(baseFont, face));
  const texts = new Map(slots.map(({ code, text }) => [code, text]));
  return { unicodeOf: ({ code }) => texts.get(code), isChanged: true };
}

function slotsOf({ file }: FontTask, font: ShownFont["font"], codes: readonly number[], choice: FaceChoice): Slot[] {
  const flags = file.number(file.dictionary(font.get("FontDescriptor"))?.get("Flags"));
  // The default encoding of nonsymbolic TrueType fonts is StandardEncoding (ISO 32000-1, 9.6.6.4).
  const isWindows = file.name(font.get("Subtype")) === "TrueType" && isSymbolic(flags);
  const { names } = readSimpleEncoding(file, font.get("Encoding"), baseEncoding(isWindows, choice));
  const widths = simpleWidths(file, font);
  const existing = readToUnicode(file, font.get("ToUnicode"));
  return codes.map((code) => {
    const name = names[code];
    const known = existing.get(code);
    const ofName = name === undefined ? undefined : unicodeOfName(name, choice.special === "dingbats");
    const [sound, width] = [isSound(known) ? known : undefined, widths?.(code)];
    if (choice.special !== "pictures") return { code, name, text: ofName ?? sound, width };
    const picture = String.fromCodePoint(PRIVATE_USE + code);
    const sign = choice.faces[0] === "Wingdings" ? wingdingsSign(code) : undefined;
    return { code, name: undefined, text: sign ?? sound ?? picture, picture, width };
  });
}

function baseEncoding(isWindows: boolean, { special }: FaceChoice): Encoding {
  if (special === "symbol") return symbolEncoding();
  if (special === "dingbats") return dingbatsEncoding();
  return isWindows ? winAnsiEncoding() : standardEncoding();
}

function glyphIn(face: Face, { name, text, picture }: Slot): number {
  if (picture !== undefined && face.glyphOf(picture) > 0) return face.glyphOf(picture);
  return (name === undefined ? 0 : face.glyphNamed(name)) || (text === undefined ? 0 : face.glyphOf(text));
}

/** Reports whether a face has glyphs for all visible characters. */
const hasAll = (face: Face, slots: readonly Slot[]): boolean =>
  slots.every((slot) => isBlankSlot(slot) || glyphIn(face, slot) > 0);

/** Reports whether a code shows nothing. Pictures without a known character have private ones. */
const isBlankSlot = ({ text, picture }: Slot): boolean => text === undefined || (text !== picture && isBlank(text));

function isNarrow(face: Face, slots: readonly Slot[]): boolean {
  let [own, document] = [0, 0];
  for (const slot of slots) {
    const glyph = glyphIn(face, slot);
    if (glyph === 0 || slot.width === undefined || slot.text === " ") continue;
    own += face.widthOf(glyph);
    document += slot.width;
  }
  return document > 0 && document < own * NARROW;
}

interface Made {
  readonly program: FontProgram;
  /** Widths by code. */
  readonly widths: ReadonlyMap<number, number>;
  /** Glyph names by code, if the program's glyphs have names. */
  readonly names?: Encoding;
}

function ofCff(face: Face & { kind: "cff" }, slots: readonly Slot[]): Made | undefined {
  const glyphs: { source: number; identity: string; width: number }[] = [];
  const names: (string | undefined)[] = new Array(256).fill(undefined);
  const widths = new Map<number, number>();
  const known = new Map<string, string>();
  const taken = new Set<string>([NOTDEF]);
  for (const slot of slots) {
    // A glyph that the face lacks becomes a space.
    const glyph = glyphIn(face, slot) || face.glyphOf(" ");
    const width = slot.width ?? Math.round(face.widthOf(glyph));
    widths.set(slot.code, width);
    const key = `${glyph} ${width}`;
    let name = known.get(key);
    if (name === undefined) {
      const base = face.names[glyph] ?? "nothing";
      const own = base === NOTDEF ? "nothing" : base;
      name = own;
      for (let suffix = 1; taken.has(name); suffix++) name = `${own}.w${suffix}`;
      taken.add(name);
      known.set(key, name);
      glyphs.push({ source: glyph, identity: name, width });
    }
    names[slot.code] = name;
  }
  const bytes = writeCff(face.font, [{ source: 0, identity: NOTDEF }, ...glyphs], { keepsEncoding: false });
  const program = bytes && readProgram(bytes);
  return program && { program, widths, names };
}

function ofTrueType(face: Face & { kind: "truetype" }, slots: readonly Slot[]): Made | undefined {
  const scale = unitsPerEm(face.font) / 1000;
  const glyphs: TrueTypeGlyph[] = [];
  const places = new Map<number, number>();
  const widths = new Map<number, number>();
  const known = new Map<string, number>();
  for (const slot of slots) {
    const glyph = glyphIn(face, slot) || face.glyphOf(" ");
    const width = slot.width ?? Math.round(face.widthOf(glyph));
    widths.set(slot.code, width);
    const key = `${glyph} ${width}`;
    let place = known.get(key);
    if (place === undefined) {
      glyphs.push({ source: glyph, advance: width * scale });
      place = glyphs.length;
      known.set(key, place);
    }
    places.set(slot.code, place);
  }
  const bytes = compactTrueType(face.font, glyphs, symbolMap(places));
  const program = bytes && readProgram(bytes);
  return program && { program, widths };
}

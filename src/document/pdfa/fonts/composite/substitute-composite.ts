// Embeds a face in a CIDFont that has no readable program. Glyphs are selected by the text of their codes, and get the
// widths that the document declares (ISO 32000-1, 9.7.4).
import { writeCff } from "../../../fonts/cff/writer.ts";
import { subsetTag } from "../../../fonts/names/subset-tag.ts";
import { unitsPerEm } from "../../../fonts/truetype/truetype.ts";
import { compactTrueType, type TrueTypeGlyph } from "../../../fonts/truetype/writer.ts";
import { Name, type Value } from "../../../objects/values.ts";
import type { CharacterCode } from "../../../text/cmap.ts";
import { CidWidths, withCidWidths } from "../../../text/font-widths.ts";
import { newDescriptor } from "../descriptor.ts";
import type { Face } from "../face.ts";
import { bestFace, chooseCjkFace, chooseFaces, isBlank, substitution } from "../face-choice.ts";
import { type FontProgram, readProgram, setProgram } from "../font-program.ts";
import type { FontTask } from "../shown-font.ts";
import type { SystemInfo } from "./code-maps.ts";
import { type Composite, glyphStream, type RepairedComposite } from "./composite-font.ts";

export interface Meaning {
  readonly info: SystemInfo;
  /** Returns the text of a code; undefined if it is unknown. */
  readonly textOf: (code: CharacterCode) => string | undefined;
}

interface Slot {
  readonly cid: number;
  readonly text: string | undefined;
  readonly width: number;
  /** True if the code has a separate CID for vertical text. */
  readonly isVertical: boolean;
}

/** Matches characters of CJK scripts, which Latin faces lack. */
const CJK_TEXT = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/;

/**
 * Changes the CIDFont and its descriptor.
 * @returns undefined if no face is suitable
 */
export async function substituteComposite(
  { file, level, fonts, substituted }: FontTask,
  { inner, descriptor, codes, map }: Composite,
  { info, textOf }: Meaning,
): Promise<RepairedComposite | undefined> {
  const baseFont = file.name(inner.get("BaseFont")) ?? "Helvetica";
  const oldDescriptor = file.dictionary(inner.get("FontDescriptor"));
  const flags = file.number(oldDescriptor?.get("Flags")) ?? 0;
  const widths = new CidWidths(file, inner);
  const moved = new Map<number, number>();
  const slots = new Map<number, Slot>();
  let free = 1 + codes.reduce((most, { code, bytes }) => Math.max(most, map.cidOf(code, bytes) ?? 0), 0);
  for (const code of codes) {
    const cid = map.cidOf(code.code, code.bytes) ?? 0;
    // CID 0 is always .notdef, so the code needs another CID.
    const target = cid === 0 ? free++ : cid;
    if (target > 0xffff) return undefined;
    if (target !== cid) moved.set(code.code, target);
    const isVertical = map.isVertical && cid !== 0 && map.base?.cidOf(code.code, code.bytes) !== cid;
    slots.set(target, { cid: target, text: textOf(code), width: widths.of(cid), isVertical });
  }
  const all = [...slots.values()].sort((a, b) => a.cid - b.cid);
  const count = (face: Face) =>
    isAskedByName(face) ? -1 : all.filter(({ text }) => text !== undefined && face.glyphOf(text) > 0).length;
  const choice = chooseFaces(file, baseFont, oldDescriptor);
  const isCjk = all.some(({ text }) => text !== undefined && CJK_TEXT.test(text));
  const cjk =
    chooseCjkFace(baseFont, info.ordering, flags) ?? (isCjk ? chooseCjkFace(baseFont, "Japan1", flags) : undefined);
  const candidates = [...(cjk ? [cjk] : []), ...choice.faces.map((face) => ({ face, index: 0 }))];
  const face = bestFace(fonts, candidates, count, all.filter(({ text }) => text !== undefined).length);
  // The face is unsuitable: characters that it lacks would become blanks.
  if (!face || count(face) * 2 < all.length || !hasAll(face, all)) return undefined;
  const program = face.kind === "cff" ? ofCff(face, all, info) : ofTrueType(face, all);
  if (!program) return undefined;
  const name = `${subsetTag(program.bytes)}+${face.name}`;
  for (const [key, value] of newDescriptor(name, choice.look)) descriptor.set(key, value);
  setProgram(file, descriptor, program, level);
  inner.set("BaseFont", Name.of(name));
  if (program.kind === "truetype") {
    const places = new Map(all.map(({ cid }, index) => [cid, index + 1]));
    const size = (all.at(-1)?.cid ?? 0) + 1;
    const glyphOf = (cid: number) => places.get(cid) ?? 0;
    inner.set("Subtype", Name.of("CIDFontType2")).set("CIDToGIDMap", glyphStream(file, size, glyphOf, 0xffff));
  } else {
    inner.set("Subtype", Name.of("CIDFontType0"));
    inner.delete("CIDToGIDMap");
  }
  const more = new Map([...moved.values()].map((cid) => [cid, slots.get(cid)!.width]));
  const list: readonly Value[] = file.array(inner.get("W")) ?? [];
  if (more.size > 0) inner.set("W", withCidWidths(list, more));
  substituted.push(...substitution(baseFont, face));
  return { moved, unicodeOf: textOf };
}

/** Reports whether a face has glyphs for all visible characters. */
const hasAll = (face: Face, slots: readonly Slot[]): boolean =>
  slots.every(({ text }) => text === undefined || isBlank(text) || face.glyphOf(text) > 0);

/**
 * Reports whether a face is a CFF font without CIDs. In a CIDFont, such a face would treat the document's CIDs as glyph
 * numbers, which they are not.
 */
const isAskedByName = (face: Face) => face.kind === "cff" && !face.font.isCid;

function ofCff(face: Face & { kind: "cff" }, slots: readonly Slot[], info: SystemInfo): FontProgram | undefined {
  const blank = face.glyphOf(" ");
  const glyphs = slots
    .filter(({ cid }) => cid > 0)
    .map((slot) => ({ source: glyphFor(face, slot) || blank, identity: slot.cid, width: slot.width }));
  const bytes = writeCff(face.font, [{ source: 0, identity: 0 }, ...glyphs], { keepsEncoding: false, ordering: info });
  return bytes && readProgram(bytes);
}

/**
 * Returns the glyph of a text. Selects the full-width form, which is as wide as an ideograph, if the declared width is
 * much larger than the width of the normal glyph.
 */
function glyphFor(face: Face, { text, width, isVertical }: Slot): number {
  if (text === undefined) return 0;
  const glyph = face.glyphOf(text);
  if (isVertical) return face.verticalOf(glyph);
  if (glyph > 0 && face.widthOf(glyph) >= width * WIDE) return glyph;
  const code = text.length === 1 ? text.charCodeAt(0) : 0;
  const wide = code > 0x20 && code < 0x7f ? code + 0xfee0 : (WIDE_FORMS.get(code) ?? 0);
  return (wide > 0 && face.glyphOf(String.fromCharCode(wide))) || glyph;
}

const WIDE = 0.75;
const WIDE_FORMS = new Map([
  [0x2212, 0xff0d],
  [0x2014, 0x2015],
  [0xa2, 0xffe0],
  [0xa3, 0xffe1],
  [0xa5, 0xffe5],
  [0xac, 0xffe2],
  [0xaf, 0xffe3],
  [0x2016, 0x2225],
]);

function ofTrueType(face: Face & { kind: "truetype" }, slots: readonly Slot[]): FontProgram | undefined {
  const scale = unitsPerEm(face.font) / 1000;
  const blank = face.glyphOf(" ");
  const glyphs: TrueTypeGlyph[] = slots.map((slot) => {
    return { source: glyphFor(face, slot) || blank, advance: slot.width * scale };
  });
  const bytes = compactTrueType(face.font, glyphs);
  return bytes && readProgram(bytes);
}

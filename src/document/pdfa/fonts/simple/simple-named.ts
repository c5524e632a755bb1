// Repairs simple fonts whose programs have glyph names: Type 1 and bare CFF (ISO 32000-1, 9.6.2). Every shown code gets
// a glyph, and every glyph gets the width that the font dictionary declares. The appearance stays the same.
import { NOTDEF, unicodeOfName } from "../../../fonts/names/glyph-names.ts";
import { type Dictionary, Name } from "../../../objects/values.ts";
import { hasSoundWidths, isInStep, setWidths, simpleWidths } from "../../../text/font-widths.ts";
import { encodingOf, readSimpleEncoding } from "../../../text/simple-encoding.ts";
import { type AddedGlyph, type FontProgram, type NamedProgram, setProgram } from "../font-program.ts";
import type { FontTask, RepairedProgram, ShownFont } from "../shown-font.ts";

/** Pairs of names for the same glyph. A font that lacks the first name can have the second. */
const ALIASES = new Map([
  ["nbspace", "space"],
  ["nonbreakingspace", "space"],
  ["uni00A0", "space"],
  ["sfthyphen", "hyphen"],
  ["softhyphen", "hyphen"],
  ["middot", "periodcentered"],
  ["mu1", "mu"],
  ["Delta", "increment"],
  ["increment", "Delta"],
  ["Omega", "Ohm"],
  ["Ohm", "Omega"],
  ["Tcommaaccent", "Tcedilla"],
  ["tcommaaccent", "tcedilla"],
  ["overscore", "macron"],
  ["sigma1", "sigmafinal"],
]);

/**
 * @param descriptor owned by the caller
 * @returns undefined if a width cannot be set
 */
export function repairNamed(
  task: FontTask,
  { font, codes }: ShownFont,
  descriptor: Dictionary,
  program: FontProgram,
  glyphs: NamedProgram,
  isMisplaced: boolean,
): RepairedProgram | undefined {
  const { file, level } = task;
  const { names: read } = readSimpleEncoding(file, font.get("Encoding"), glyphs.encoding);
  const dictionaryWidth = simpleWidths(file, font);
  const { names, widths, added, isEncodingChanged } = planGlyphs(codes, read, dictionaryWidth, glyphs);
  const set = new Map([...widths].filter(([name, width]) => width !== glyphs.widthOf(name)));
  const changed = set.size > 0 || added.size > 0 ? glyphs.changed(set, [...added.values()]) : program;
  if (!changed) return undefined;
  if (changed !== program || isMisplaced) setProgram(file, descriptor, changed, level);
  if (isEncodingChanged) font.set("Encoding", encodingOf(names));
  if (!hasSoundWidths(file, font)) {
    const ownWidth = (code: number) => glyphs.widthOf(names[code] ?? NOTDEF) ?? 0;
    setWidths(
      file,
      font,
      (code) => dictionaryWidth?.(code) ?? ownWidth(code),
      codes.map(({ code }) => code),
    );
  }
  if (file.name(font.get("Subtype")) !== "MMType1") font.set("Subtype", Name.of("Type1"));
  const isDingbats = /dingbats/i.test(file.name(font.get("BaseFont")) ?? "");
  const textOf = (code: number) => nameText(read[code], isDingbats) ?? nameText(names[code], isDingbats);
  return { unicodeOf: ({ code }) => textOf(code), isChanged: isEncodingChanged };
}

interface Plan {
  /** Glyph names by code. */
  readonly names: readonly (string | undefined)[];
  /** Widths of the program's glyphs. */
  readonly widths: ReadonlyMap<string, number>;
  readonly added: ReadonlyMap<string, AddedGlyph>;
  readonly isEncodingChanged: boolean;
}

/**
 * Finds a glyph for each code. The first code that shows a glyph sets the glyph's width; a later code with another
 * width gets a copy of the glyph.
 */
function planGlyphs(
  codes: ShownFont["codes"],
  read: readonly (string | undefined)[],
  dictionaryWidth: ReturnType<typeof simpleWidths>,
  glyphs: NamedProgram,
): Plan {
  const names = [...read];
  const widths = new Map<string, number>();
  const added = new Map<string, AddedGlyph>();
  let isEncodingChanged = false;
  const rename = (code: number, name: string) => {
    names[code] = name;
    isEncodingChanged = true;
  };
  const add = (code: number, wanted: string, source: string, width: number) => {
    let name = wanted;
    // The name can already belong to a glyph of the program, or to an added glyph with another width.
    for (let suffix = 1; glyphs.names.has(name) || (added.has(name) && added.get(name)!.width !== width); suffix++) {
      name = `${wanted}.w${suffix}`;
    }
    added.set(name, { name, source, width });
    if (name !== names[code]) rename(code, name);
  };
  for (const { code } of codes) {
    const name = names[code];
    const width = dictionaryWidth?.(code);
    const alias = existing(name, code, glyphs);
    if (alias === undefined) {
      add(code, name ?? "nothing", NOTDEF, width ?? glyphs.widthOf(NOTDEF) ?? 0);
      continue;
    }
    if (alias !== name) rename(code, alias);
    const own = glyphs.widthOf(alias);
    if (width === undefined || own === undefined) continue;
    const set = widths.get(alias);
    if (set === undefined && isInStep(width, own)) {
      widths.set(alias, own);
    } else if (set === undefined) {
      widths.set(alias, width);
    } else if (!isInStep(width, set)) {
      add(code, alias, alias, width);
    }
  }
  return { names, widths, added, isEncodingChanged };
}

const nameText = (name: string | undefined, isDingbats: boolean) =>
  name === undefined ? undefined : unicodeOfName(name, isDingbats);

/** Returns the name of the glyph that a code shows; undefined if there is none. */
function existing(name: string | undefined, code: number, { names, encoding }: NamedProgram): string | undefined {
  if (name !== undefined && names.has(name)) return name;
  const alias = name === undefined ? undefined : aliasOf(name, names);
  if (alias !== undefined) return alias;
  // Readers fall back to the encoding of the program.
  const own = encoding[code];
  return own !== undefined && own !== NOTDEF && names.has(own) ? own : undefined;
}

function aliasOf(name: string, names: ReadonlySet<string>): string | undefined {
  const alias = ALIASES.get(name);
  if (alias !== undefined && names.has(alias)) return alias;
  const text = unicodeOfName(name);
  if (text === undefined || text.length !== 1) return undefined;
  const byNumber = `uni${text.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  return names.has(byNumber) ? byNumber : undefined;
}

/** Returns the glyph list of a program, in the format that PDF/A-1 requires (ISO 19005-1, 6.3.5). */
export function charSetOf(names: Iterable<string>): string {
  return [...names].flatMap((name) => (name === NOTDEF ? [] : [`/${name}`])).join("");
}

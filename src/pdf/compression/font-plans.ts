// What of each embedded font program is kept: the glyphs that text shows, by the ways in which codes become glyphs (ISO 32000-1,
// 9.6.6 and 9.7.4.2), and the name that says so. Knows no font formats but TrueType's character maps.
import { readEmbeddedCff, subsetCff } from "../fonts/subset-cff.ts";
import { subsetTag, TAGGED } from "../fonts/subset-tag.ts";
import { subsetTrueType } from "../fonts/subset-truetype.ts";
import { readTrueType } from "../fonts/truetype.ts";
import { type CharacterMap, characterMaps } from "../fonts/truetype-maps.ts";
import { needsHints } from "../fonts/unhinted.ts";
import type { PdfFile } from "../pdf-file.ts";
import { Dictionary, Name, type PdfStream, Reference, type Value } from "../values.ts";
import { namedGlyphs, numberedGlyphs } from "./cff-glyphs.ts";
import { type FontUses, findFontUses, type ShownCodes } from "./font-uses.ts";
import { asFlate, decodedBytes, smaller } from "./recode-stream.ts";
import type { CompressionSettings } from "./settings.ts";

/** Of one font program, which several fonts can have. */
interface Plan {
  /** Undefined where all have to stay. */
  glyphs: Set<number> | undefined;
  /** Whether no font asks for glyphs by character. */
  byNumber: boolean;
  keepsHints: boolean;
  readonly format: Format;
  readonly program: Reference;
  /** What fonts with codes of one byte look up. */
  readonly characters: Set<number>;
  /** The stream that was made; null where none is smaller. */
  made?: PdfStream | null;
  tag?: string;
}

type Format = "truetype" | "cff";

/** Tables of standard encodings that text decoders know: WinAnsiEncoding and MacRomanEncoding (annex D). */
const DECODERS = ["windows-1252", "macintosh"].map((label) => new TextDecoder(label));
/** A symbolic font's codes lie here in its map (9.6.6.4). */
const SYMBOLS = [0xf000, 0xf100, 0xf200];
const MAX_MAP_BYTES = 1 << 17;
/** Codes up to it show nothing. */
const LAST_SPACE = 0x20;
const IDENTITY = new Set(["Identity-H", "Identity-V"]);
/** Fonts within fonts, which are planned with those. */
const PARTS = new Set(["CIDFontType0", "CIDFontType2"]);
const CFF_SUBTYPES = new Set(["Type1C", "CIDFontType0C", "OpenType"]);

export class FontPlans {
  readonly #file: PdfFile;
  readonly #canonical: (number: number) => number;
  readonly #settings: CompressionSettings["fonts"];
  /** By the program's object number. */
  readonly #plans = new Map<number, Plan>();
  /** By the object number of a font, of the font within it, and of their descriptor. */
  readonly #programs = new Map<number, Plan>();

  /** @param mayName whether fonts may become subsets that were none */
  constructor(
    file: PdfFile,
    settings: CompressionSettings["fonts"],
    fonts: readonly Reference[],
    canonical: (number: number) => number,
    mayName: boolean,
  ) {
    this.#file = file;
    this.#canonical = canonical;
    this.#settings = settings;
    const uses = findFontUses(file);
    for (const font of fonts) this.#plan(font, uses, mayName);
  }

  /** @returns undefined for what is no font program, or one that does not become smaller */
  programOf(number: number, original: PdfStream): PdfStream | undefined {
    const plan = this.#plans.get(number);
    if (!plan) return undefined;
    return this.#make(plan, original) ?? undefined;
  }

  /** The dictionary of a font or a descriptor, with a name that tells of a subset. */
  named(dictionary: Dictionary, number: number): Dictionary {
    const plan = this.#programs.get(number);
    const program = plan && this.#file.stream(plan.program);
    if (!plan?.glyphs || !program || !this.#make(plan, program)) return dictionary;
    let changed = dictionary;
    for (const key of ["BaseFont", "FontName"]) {
      const name = this.#file.name(dictionary.get(key));
      if (name === undefined || TAGGED.test(name)) continue;
      changed = changed.clone().set(key, Name.of(`${plan.tag}+${name}`));
    }
    if (changed.has("CIDSet")) {
      changed = changed.clone();
      // It lists the glyphs that were there (table 124).
      changed.delete("CIDSet");
    }
    return changed;
  }

  #plan(reference: Reference, uses: FontUses | undefined, mayName: boolean): void {
    const file = this.#file;
    const font = file.dictionary(reference);
    const subtype = file.name(font?.get("Subtype"));
    if (!font || (subtype && PARTS.has(subtype))) return;
    const within = file.array(font.get("DescendantFonts"))?.[0];
    const inner = subtype === "Type0" ? file.dictionary(within) : font;
    const descriptor = inner?.get("FontDescriptor");
    const found = this.#programIn(file.dictionary(descriptor), subtype);
    if (!inner || !found) return;
    const { program, format } = found;
    const number = this.#canonical(program.number);
    const plan = this.#plans.get(number) ?? {
      glyphs: new Set<number>(),
      byNumber: true,
      keepsHints: !this.#settings.removeHints,
      format,
      program: new Reference(number),
      characters: new Set(),
    };
    this.#plans.set(number, plan);
    for (const one of [reference, within, descriptor]) {
      if (one instanceof Reference) this.#programs.set(this.#canonical(one.number), plan);
    }
    const baseName = file.name(font.get("BaseFont")) ?? "";
    const isTagged = TAGGED.test(baseName);
    if (needsHints(baseName.replace(TAGGED, ""))) plan.keepsHints = true;
    const mayBeSubset = mayName || (isTagged && format === "truetype");
    const mayLose = mayBeSubset && (!isTagged || this.#settings.subsetSubsets);
    const isKept =
      plan.format !== format || !uses || uses.kept.has(reference.number) || !this.#settings.subset || !mayLose;
    if (subtype === "TrueType") plan.byNumber = false;
    if (isKept) plan.glyphs = undefined;
    else if (format === "cff") this.#addCff(plan, font, inner, uses.shown.get(reference.number));
    else if (subtype === "TrueType") this.#addSimple(plan, font, reference, uses);
    else this.#addComposite(plan, font, inner, uses.shown.get(reference.number)?.pairs ?? new Set());
  }

  #programIn(
    descriptor: Dictionary | undefined,
    subtype: string | undefined,
  ): { readonly program: Reference; readonly format: Format } | undefined {
    const file = this.#file;
    const truetype = descriptor?.get("FontFile2");
    if (truetype instanceof Reference && (subtype === "Type0" || subtype === "TrueType") && file.stream(truetype)) {
      return { program: truetype, format: "truetype" };
    }
    const program = descriptor?.get("FontFile3");
    const stream = program instanceof Reference ? file.stream(program) : undefined;
    if (!(program instanceof Reference) || !stream) return undefined;
    return CFF_SUBTYPES.has(file.name(stream.dictionary.get("Subtype")) ?? "") ? { program, format: "cff" } : undefined;
  }

  #addCff(plan: Plan, font: Dictionary, inner: Dictionary, shown: ShownCodes | undefined): void {
    if (!plan.glyphs) return;
    const glyphs = this.#cffGlyphs(plan, font, inner, shown);
    if (glyphs) for (const glyph of glyphs) plan.glyphs.add(glyph);
    else plan.glyphs = undefined;
  }

  #cffGlyphs(plan: Plan, font: Dictionary, inner: Dictionary, shown?: ShownCodes): Set<number> | undefined {
    const file = this.#file;
    const stream = file.stream(plan.program);
    const bytes = stream && decodedBytes(file, stream);
    const cff = bytes && readEmbeddedCff(bytes);
    if (!cff) return undefined;
    const encoding = font.get("Encoding");
    if (file.name(font.get("Subtype")) === "Type1") {
      try {
        return namedGlyphs(file, cff, encoding, shown?.bytes ?? []);
      } catch (error) {
        // A name that lies outside of the program.
        if (error instanceof RangeError) return undefined;
        throw error;
      }
    }
    // Other glyphs for vertical text could come from tables of OpenType.
    const isPlain = file.name(encoding) === "Identity-H" || (file.name(encoding) === "Identity-V" && !cff.isWrapped);
    const map = inner.get("CIDToGIDMap");
    const hasMap = map !== undefined && file.name(map) !== "Identity";
    if (!isPlain || hasMap || file.name(inner.get("Subtype")) !== "CIDFontType0") return undefined;
    return numberedGlyphs(cff, shown?.pairs ?? new Set());
  }

  #addComposite(plan: Plan, font: Dictionary, inner: Dictionary, codes: ReadonlySet<number>): void {
    const file = this.#file;
    const map = inner.get("CIDToGIDMap");
    const isIdentity = map === undefined || file.name(map) === "Identity";
    const glyphOf = isIdentity ? (code: number) => code : this.#glyphMap(map);
    if (!IDENTITY.has(file.name(font.get("Encoding")) ?? "") || !glyphOf) {
      plan.glyphs = undefined;
      return;
    }
    for (const code of codes) plan.glyphs?.add(glyphOf(code));
  }

  #glyphMap(map: Value): ((code: number) => number) | undefined {
    try {
      const bytes = this.#file.stream(map)?.body.decoded(MAX_MAP_BYTES);
      return bytes && ((code) => ((bytes[code * 2] ?? 0) << 8) | (bytes[code * 2 + 1] ?? 0));
    } catch {
      return undefined;
    }
  }

  #addSimple(plan: Plan, font: Dictionary, reference: Reference, uses: FontUses): void {
    const encoding = this.#file.resolve(font.get("Encoding"));
    // Names of glyphs could lead to any.
    if (encoding instanceof Dictionary && encoding.has("Differences")) plan.glyphs = undefined;
    const maps = plan.glyphs && this.#mapsOf(plan.program);
    if (!maps || maps.length === 0) {
      plan.glyphs = undefined;
      return;
    }
    for (const code of uses.shown.get(reference.number)?.bytes ?? []) {
      const characters = [...charactersOf(code)];
      const glyphs = characters.flatMap((character) => maps.map(({ glyphOf }) => glyphOf(character)));
      // A reader may find it by its name.
      if (code > LAST_SPACE && glyphs.every((glyph) => glyph === 0)) plan.glyphs = undefined;
      for (const glyph of glyphs) plan.glyphs?.add(glyph);
      for (const character of characters) plan.characters.add(character);
    }
  }

  #mapsOf(program: Reference): CharacterMap[] | undefined {
    const stream = this.#file.stream(program);
    const bytes = stream && decodedBytes(this.#file, stream);
    const font = bytes && readTrueType(bytes);
    return font && characterMaps(font);
  }

  #make(plan: Plan, original: PdfStream): PdfStream | null {
    if (plan.made !== undefined) return plan.made;
    const bytes = decodedBytes(this.#file, original);
    const subset =
      bytes && (plan.format === "cff" ? plan.glyphs && subsetCff(bytes, plan.glyphs) : outlined(plan, bytes));
    const made = subset && asFlate(original, subset);
    plan.made = made && smaller(original, made) === made ? made : null;
    if (plan.made && subset) {
      this.#file.budget.charge(plan.made.body.raw().length);
      // A program of this kind does not have it (table 127).
      if (plan.format === "truetype") plan.made.dictionary.set("Length1", subset.length);
      plan.tag = subsetTag(subset);
    }
    return plan.made;
  }
}

function outlined({ glyphs, characters, byNumber, keepsHints }: Plan, bytes: Uint8Array): Uint8Array | undefined {
  return subsetTrueType(bytes, { ...(glyphs ? { glyphs, characters } : {}), byNumber, withoutHints: !keepsHints });
}

/** All that a code can be looked up as. */
function charactersOf(code: number): Set<number> {
  const characters = new Set([code, ...SYMBOLS.map((base) => base + code)]);
  for (const decoder of DECODERS) characters.add(decoder.decode(Uint8Array.of(code)).codePointAt(0) ?? code);
  for (const character of [...characters]) for (const other of macCodes(character)) characters.add(other);
  return characters;
}

let codesOfMac: Map<number, number> | undefined;

/** The code of a character in MacRomanEncoding, which a map for that platform is asked with. */
function macCodes(character: number): number[] {
  codesOfMac ??= new Map(
    Array.from({ length: 256 }, (_, code) => [DECODERS[1]!.decode(Uint8Array.of(code)).codePointAt(0) ?? 0, code]),
  );
  const code = codesOfMac.get(character);
  return code === undefined ? [] : [code];
}

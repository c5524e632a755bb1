// Plans the subsets of embedded font programs: finds the glyphs that text shows, and names the subsets. ISO 32000-1,
// 9.6.6 and 9.7.4.2, define the mapping from codes to glyphs. Several fonts can share a program, so its plan first
// collects the glyphs of all its fonts. The subset is built when the writer reaches the program.
import { writeNamedCff } from "../../fonts/cff/named-cff.ts";
import { readEmbeddedCff, subsetCff } from "../../fonts/cff/subset-cff.ts";
import { subsetTag, TAGGED } from "../../fonts/names/subset-tag.ts";
import { readCmap } from "../../fonts/truetype/cmap.ts";
import { needsHints } from "../../fonts/truetype/dehint.ts";
import { subsetTrueType } from "../../fonts/truetype/subset-truetype.ts";
import { readTrueType } from "../../fonts/truetype/truetype.ts";
import { subsetType1 } from "../../fonts/type1/subset-type1.ts";
import { readType1 } from "../../fonts/type1/type1.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { type Dictionary, Name, type PdfStream, Reference } from "../../objects/values.ts";
import { asFlate, decodedBytes, smaller } from "../recode-stream.ts";
import type { CompressionSettings } from "../settings.ts";
import { type FontPlan, keptGlyphs } from "./font-plan.ts";
import { type FontUses, findFontUses, type ShownCodes } from "./font-uses.ts";
import { mergedPrograms, namedCffOf } from "./merged-fonts.ts";
import { type NamedFont, namedGlyphs, namesOfCff, namesOfType1, numberedGlyphs } from "./named-glyphs.ts";
import { compositeGlyphs, simpleLookups } from "./truetype-glyphs.ts";

/** Subtypes of descendant fonts, which are planned with their Type 0 font. */
const PARTS = new Set(["CIDFontType0", "CIDFontType2"]);
const CFF_SUBTYPES = new Set(["Type1C", "CIDFontType0C", "OpenType"]);
const LENGTHS = ["Length1", "Length2", "Length3"];
const PROGRAMS = ["FontFile", "FontFile2", "FontFile3"];

/** A font with its plan. */
interface Planned {
  readonly plan: FontPlan;
  readonly font: Dictionary;
  /** The descendant font of a Type 0 font, or the font itself. */
  readonly inner: Dictionary;
  readonly shown: ShownCodes | undefined;
}

export class FontPlans {
  readonly #file: PdfFile;
  readonly #canonical: (number: number) => number;
  readonly #settings: CompressionSettings["fonts"];
  readonly #allowsNewSubsets: boolean;
  /** The plans, by the program's object number. */
  readonly #plans = new Map<number, FontPlan>();
  /**
   * The plans, by the object numbers of the dictionaries that contain the font name: fonts, descendant fonts and font
   * descriptors.
   */
  readonly #plansByFont = new Map<number, FontPlan>();

  /** @param allowsNewSubsets true if complete fonts can become subsets */
  constructor(
    file: PdfFile,
    settings: CompressionSettings["fonts"],
    fonts: readonly Reference[],
    canonical: (number: number) => number,
    allowsNewSubsets: boolean,
  ) {
    this.#file = file;
    this.#canonical = canonical;
    this.#settings = settings;
    this.#allowsNewSubsets = allowsNewSubsets;
    const uses = findFontUses(file);
    for (const font of fonts) this.#planFont(file.dictionary(font), font, uses);
    for (const font of uses?.keptDirect ?? []) this.#planFont(font, undefined, undefined);
    // PDF/A-1 requires a list of glyphs for every subset.
    if (settings.mergeSubsets && allowsNewSubsets) this.#merge();
  }

  /** Returns the program that replaces a merged program. */
  mergedProgram({ number }: Reference): Reference | undefined {
    const plan = this.#plans.get(number);
    return plan?.isMerged ? plan.program : undefined;
  }

  /** @returns undefined if the object is not a font program or if its subset is not smaller */
  programOf(number: number, original: PdfStream): PdfStream | undefined {
    const plan = this.#plans.get(number);
    if (!plan) return undefined;
    return this.#replacementOf(plan, original) ?? undefined;
  }

  /** Returns a font or descriptor dictionary with the subset name. */
  named(dictionary: Dictionary, number: number): Dictionary {
    const plan = this.#plansByFont.get(number);
    const program = plan && this.#file.stream(plan.program);
    if (!plan || !(plan.isMerged || keptGlyphs(plan)) || !program || !this.#replacementOf(plan, program))
      return dictionary;
    const changed = dictionary.clone();
    for (const key of ["BaseFont", "FontName"]) {
      const name = this.#file.name(dictionary.get(key));
      if (name === undefined || (TAGGED.test(name) && !plan.isMerged)) continue;
      changed.set(key, Name.of(`${plan.tag}+${name.replace(TAGGED, "")}`));
    }
    // CIDSet and CharSet list the original glyphs (tables 122 and 124). An unmerged CFF keeps its glyph names, so
    // CharSet stays valid.
    changed.delete("CIDSet");
    if (plan.format === "type1" || plan.isMerged) changed.delete("CharSet");
    if (plan.isConverted && changed.delete("FontFile")) changed.set("FontFile3", plan.program);
    return changed;
  }

  /** @param uses undefined if the shown text is unknown */
  #planFont(font: Dictionary | undefined, reference: Reference | undefined, uses: FontUses | undefined): void {
    const file = this.#file;
    const subtype = file.name(font?.get("Subtype"));
    if (!font || (subtype && PARTS.has(subtype))) return;
    const descendant = file.array(font.get("DescendantFonts"))?.[0];
    const inner = subtype === "Type0" ? file.dictionary(descendant) : font;
    const descriptor = inner?.get("FontDescriptor");
    const described = file.dictionary(descriptor);
    const hasOneProgram = PROGRAMS.filter((key) => described?.has(key)).length === 1;
    for (const key of PROGRAMS) {
      const program = described?.get(key);
      const stream = program instanceof Reference ? file.stream(program) : undefined;
      if (!inner || !(program instanceof Reference) || !stream) continue;
      const format = this.#formatOf(key, subtype, stream);
      const plan = this.#planOf(program, format);
      for (const one of [reference, descendant, descriptor]) {
        if (one instanceof Reference) this.#plansByFont.set(this.#canonical(one.number), plan);
      }
      // Only an indirect descriptor (table 111) can be updated for the new program.
      const isUpdatable = reference && hasOneProgram && descriptor instanceof Reference;
      if (!isUpdatable || !uses || uses.kept.has(reference.number)) plan.areGlyphsKnown = false;
      // The program does not fit one of its fonts, so it remains unchanged.
      if (!format || plan.format !== format) {
        plan.areGlyphsKnown = false;
        plan.replacement = null;
      }
      this.#addGlyphs({ plan, font, inner, shown: reference && uses?.shown.get(reference.number) }, subtype);
    }
  }

  /** @returns undefined if the program does not fit this kind of font */
  #formatOf(key: string, subtype: string | undefined, { dictionary }: PdfStream): FontPlan["format"] {
    if (key === "FontFile2") return subtype === "Type0" || subtype === "TrueType" ? "truetype" : undefined;
    if (key === "FontFile") return subtype === "Type1" ? "type1" : undefined;
    return CFF_SUBTYPES.has(this.#file.name(dictionary.get("Subtype")) ?? "") ? "cff" : undefined;
  }

  #planOf(program: Reference, format: FontPlan["format"]): FontPlan {
    const number = this.#canonical(program.number);
    const known = this.#plans.get(number);
    if (known) return known;
    const plan: FontPlan = {
      program: new Reference(number),
      format,
      glyphs: new Set(),
      areGlyphsKnown: true,
      keepsAll: !this.#settings.subset,
      byNumber: true,
      keepsHints: !this.#settings.removeHints,
      characters: new Set(),
    };
    this.#plans.set(number, plan);
    return plan;
  }

  #addGlyphs(planned: Planned, subtype: string | undefined): void {
    const { plan, font, inner, shown } = planned;
    const { format } = plan;
    const baseName = this.#file.name(font.get("BaseFont")) ?? "";
    const isTagged = TAGGED.test(baseName);
    const family = baseName.replace(TAGGED, "");
    if (needsHints(family)) plan.keepsHints = true;
    // PDF/A-1 requires a list of glyphs for every subset, except for a subset of a simple TrueType font (ISO 19005-1,
    // 6.3.5).
    const mayBeSubset = this.#allowsNewSubsets || (isTagged && subtype === "TrueType");
    if (!mayBeSubset || (isTagged && !this.#settings.subsetSubsets)) plan.keepsAll = true;
    if (subtype === "TrueType") plan.byNumber = false;
    plan.family = (plan.family ?? family) === family ? family : "";
    plan.byName = (plan.byName ?? true) && subtype === "Type1";
    for (const code of shown?.bytes ?? []) if (plan.byName) plan.characters.add(code);
    const isComposite = format === "truetype" && subtype === "Type0";
    const isMerged = isComposite || (format === "cff" && plan.byName);
    if (!plan.areGlyphsKnown || (plan.keepsAll && !(isMerged && this.#settings.mergeSubsets))) return;
    let found: Iterable<number> | undefined;
    if (format === "cff") found = this.#cffGlyphs(planned);
    else if (format === "type1") found = this.#type1Glyphs(planned);
    else if (isComposite) found = compositeGlyphs(this.#file, font, inner, shown?.pairs ?? []);
    else found = this.#simpleGlyphs(planned);
    if (!found) plan.areGlyphsKnown = false;
    for (const glyph of found ?? []) plan.glyphs.add(glyph);
  }

  #bytesOf({ program }: FontPlan): Uint8Array | undefined {
    const stream = this.#file.stream(program);
    return stream && decodedBytes(this.#file, stream);
  }

  #cffGlyphs(planned: Planned): Set<number> | undefined {
    const { plan, font, inner, shown } = planned;
    const file = this.#file;
    const bytes = this.#bytesOf(plan);
    const cff = bytes && readEmbeddedCff(bytes);
    if (!cff) return undefined;
    const encoding = font.get("Encoding");
    if (file.name(font.get("Subtype")) === "Type1") {
      try {
        return this.#glyphsByName(planned, namesOfCff(cff));
      } catch (error) {
        // A name points outside the program data.
        if (error instanceof RangeError) return undefined;
        throw error;
      }
    }
    // For vertical text, the tables of an OpenType font can select other glyphs.
    const isPlain = file.name(encoding) === "Identity-H" || (file.name(encoding) === "Identity-V" && !cff.isWrapped);
    const map = inner.get("CIDToGIDMap");
    const hasMap = map !== undefined && file.name(map) !== "Identity";
    if (!isPlain || hasMap || file.name(inner.get("Subtype")) !== "CIDFontType0") return undefined;
    return numberedGlyphs(cff, shown?.pairs ?? new Set());
  }

  #type1Glyphs(planned: Planned): Set<number> | undefined {
    const bytes = this.#bytesOf(planned.plan);
    const program = bytes && readType1(bytes);
    return program && this.#glyphsByName(planned, namesOfType1(program));
  }

  #glyphsByName({ font, shown }: Planned, named: NamedFont | undefined): Set<number> | undefined {
    return named && namedGlyphs(this.#file, named, font.get("Encoding"), shown?.bytes ?? []);
  }

  #simpleGlyphs({ plan, font, shown }: Planned): ReadonlySet<number> | undefined {
    const bytes = this.#bytesOf(plan);
    const program = bytes && readTrueType(bytes);
    const maps = program && readCmap(program);
    const lookups = maps && simpleLookups(this.#file, font, maps, shown?.bytes ?? []);
    for (const character of lookups?.characters ?? []) plan.characters.add(character);
    return lookups?.glyphs;
  }

  #merge(): void {
    const replaced = new Map<FontPlan, FontPlan>();
    for (const { members, bytes } of mergedPrograms(this.#plans.values(), (plan) => this.#bytesOf(plan))) {
      const streams = members.flatMap(({ program }) => this.#file.stream(program) ?? []);
      const isConverted = members[0]!.format !== "truetype";
      const made = programStream(streams[0]!, { bytes, lengths: isConverted ? [] : [bytes.length], isConverted });
      const size = made.body.raw().length;
      if (size >= streams.reduce((sum, { body }) => sum + body.raw().length, 0)) continue;
      this.#file.budget.charge(size);
      const plan: FontPlan = { ...members[0]!, isMerged: true, replacement: made, isConverted, tag: subsetTag(bytes) };
      for (const member of members) replaced.set(member, plan);
    }
    for (const plans of [this.#plans, this.#plansByFont]) {
      for (const [number, plan] of plans) plans.set(number, replaced.get(plan) ?? plan);
    }
  }

  #replacementOf(plan: FontPlan, original: PdfStream): PdfStream | null {
    if (plan.replacement !== undefined) return plan.replacement;
    const bytes = decodedBytes(this.#file, original);
    const subset = this.#settings.subset && bytes ? subsetOf(plan, bytes) : undefined;
    const made = subset && programStream(original, subset);
    plan.replacement = made && smaller(original, made) === made ? made : null;
    if (plan.replacement && subset) {
      this.#file.budget.charge(plan.replacement.body.raw().length);
      plan.tag = subsetTag(subset.bytes);
      plan.isConverted = subset.isConverted === true;
    }
    return plan.replacement;
  }
}

interface Subset {
  readonly bytes: Uint8Array;
  /** The Length1 to Length3 entries of the program. Empty for CFF (table 127). */
  readonly lengths: readonly number[];
  /** True if the program is CFF converted from Type 1. */
  readonly isConverted?: boolean;
}

function programStream(original: PdfStream, { bytes, lengths, isConverted }: Subset): PdfStream {
  const made = asFlate(original, bytes);
  if (isConverted) {
    for (const key of LENGTHS) made.dictionary.delete(key);
    made.dictionary.set("Subtype", Name.of("Type1C"));
  }
  lengths.forEach((length, index) => {
    made.dictionary.set(LENGTHS[index]!, length);
  });
  return made;
}

/** @returns undefined if the subset is not smaller */
function subsetOf(plan: FontPlan, bytes: Uint8Array): Subset | undefined {
  const glyphs = keptGlyphs(plan);
  const { format, characters, byNumber, keepsHints } = plan;
  if (format === "truetype") {
    const kept = glyphs ? { glyphs, characters } : {};
    const subset = subsetTrueType(bytes, { ...kept, byNumber, withoutHints: !keepsHints });
    return subset && { bytes: subset, lengths: [subset.length] };
  }
  if (!glyphs) return undefined;
  if (format === "type1") {
    const converted = keepsHints ? undefined : writeNamedCff([namedCffOf(plan, bytes)]);
    if (converted) return { bytes: converted, lengths: [], isConverted: true };
    const names = [...(readType1(bytes)?.glyphs.keys() ?? [])];
    return subsetType1(
      bytes,
      Array.from(glyphs, (glyph) => names[glyph] ?? ""),
    );
  }
  const subset = subsetCff(bytes, glyphs);
  return subset && { bytes: subset, lengths: [] };
}

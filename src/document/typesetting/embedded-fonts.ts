// Embeds the used glyphs of a job's fonts in a PDF: Type 0 fonts whose codes are CIDs (ISO 32000-1, 9.7), with the text
// of each code; and Type 3 fonts of pictures (9.6.5).

import { EngineFailure } from "../contract/failure.ts";
import { memoryInput } from "../contract/operation.ts";
import { type CffFont, cffTable, readCff } from "../fonts/cff/cff.ts";
import { subsetCff } from "../fonts/cff/subset-cff.ts";
import { subsetTag } from "../fonts/names/subset-tag.ts";
import { subsetTrueType } from "../fonts/truetype/subset-truetype.ts";
import { Dictionary, Name, PdfStream, PdfString, plainBody, type Reference } from "../objects/values.ts";
import { addImageForm } from "../pages/image-form.ts";
import type { OpenPdf } from "../pages/open-pdf.ts";
import { type CodeText, toUnicodeCMap } from "../text/write-cmap.ts";
import type { EmojiPicture, ShelfFont } from "./font-shelf.ts";
import { EMOJI } from "./layout.ts";

const TWO_BYTES = [{ bytes: 2, low: 0, high: 0xffff }];
const ONE_BYTE = [{ bytes: 1, low: 0, high: 0xff }];
/** Flag of a font whose characters are not those of a standard encoding (table 123). */
const SYMBOLIC = 4;
const STEM_WIDTH = 80;
const CODES_OF_TYPE_3 = 256;
/** First code of a blank glyph that carries a character. No TrueType font here has so many glyphs. */
const FIRST_CARRIER = 0xf000;
const SPACE = 0x20;

/** A font in the document, and the glyphs that it shows. */
export class EmbeddedFont {
  readonly reference: Reference;
  readonly #font: ShelfFont;
  readonly #cff: CffFont | undefined;
  readonly #glyphs = new Set<number>();
  readonly #texts = new Map<number, CodeText>();
  /** Codes of the blank glyph, by character. */
  readonly #carriers = new Map<string, number>();

  constructor(font: ShelfFont, reference: Reference) {
    this.#font = font;
    this.reference = reference;
    const table = cffTable(font.bytes);
    this.#cff = table && readCff(table);
  }

  /** Returns the code of a glyph, as four hexadecimal digits. */
  use(glyph: number): string {
    this.#glyphs.add(glyph);
    return this.#codeOf(glyph).toString(16).padStart(4, "0");
  }

  /**
   * Records the text of a glyph's code.
   * @returns false if the code already has another text
   */
  mapTo(glyph: number, text: string): boolean {
    const code = this.#codeOf(glyph);
    const known = this.#texts.get(code);
    if (!known) this.#texts.set(code, { bytes: 2, text });
    return known === undefined || known.text === text;
  }

  /**
   * Returns the code of a blank glyph without width that stands for a character: a ligature has one glyph, and readers
   * reverse the characters of one code in text from right to left.
   * @returns undefined if the font has no such glyph
   */
  carry(character: string): string | undefined {
    const blank = this.#cff ? undefined : this.#font.typeface.glyphOf(SPACE);
    if (blank === undefined) return undefined;
    const code = this.#carriers.get(character) ?? FIRST_CARRIER + this.#carriers.size;
    this.#carriers.set(character, code);
    this.#glyphs.add(blank);
    this.#texts.set(code, { bytes: 2, text: character });
    return code.toString(16);
  }

  /** Reports whether a glyph is that of a single character. */
  isGlyphOf(glyph: number, character: string): boolean {
    return this.#font.typeface.glyphOf(character.codePointAt(0)!) === glyph;
  }

  /** Returns the advance width of a glyph in the document, in thousandths of the font size. */
  widthOf(glyph: number): number {
    const { typeface } = this.#font;
    return Math.round((typeface.advance(glyph) * 1000) / typeface.unitsPerEm);
  }

  /** A CID of a name-keyed CFF font, or of a TrueType font, is the glyph itself (9.7.4.2). */
  #codeOf(glyph: number): number {
    return this.#cff?.isCid ? this.#cff.charset[glyph]! : glyph;
  }

  write({ file, budget }: OpenPdf): void {
    const add = (bytes: Uint8Array, entries: Record<string, Name | number>) => {
      budget.charge(bytes.length);
      return file.add(new PdfStream(Dictionary.of(entries), plainBody(bytes)));
    };
    const program = this.#cff
      ? (subsetCff(this.#cff.bytes, this.#glyphs) ?? this.#cff.bytes)
      : subsetTrueType(this.#font.bytes, { glyphs: this.#glyphs, byNumber: true, withoutHints: true });
    if (!program) throw new EngineFailure("crashed", `the font ${this.#font.name} has an unexpected structure`);
    const name = Name.of(`${subsetTag(program)}+${this.#font.name}`);
    const entries = this.#cff ? { Subtype: Name.of("CIDFontType0C") } : { Length1: program.length };
    const descriptor = this.#descriptor(name).set(
      this.#cff ? "FontFile3" : "FontFile2",
      add(program, entries as Record<string, Name | number>),
    );
    const descendant = Dictionary.of({
      Type: Name.of("Font"),
      Subtype: Name.of(this.#cff ? "CIDFontType0" : "CIDFontType2"),
      BaseFont: name,
      CIDSystemInfo: Dictionary.of({
        ...{ Registry: PdfString.ofLatin1("Adobe"), Ordering: PdfString.ofLatin1("Identity"), Supplement: 0 },
      }),
      FontDescriptor: file.add(descriptor),
      W: this.#widths(),
      CIDToGIDMap: this.#cff ? undefined : this.#carriers.size > 0 ? add(this.#glyphMap(), {}) : Name.of("Identity"),
    });
    const font = Dictionary.of({
      ...{ Type: Name.of("Font"), Subtype: Name.of("Type0"), BaseFont: name, Encoding: Name.of("Identity-H") },
      DescendantFonts: [file.add(descendant)],
      ToUnicode: add(Buffer.from(toUnicodeCMap(this.#texts, TWO_BYTES)), {}),
    });
    file.put(this.reference, font);
  }

  #descriptor(name: Name): Dictionary {
    const { lines, unitsPerEm } = this.#font.typeface;
    const [ascent, descent] = [lines.ascent, -lines.descent].map((one) => Math.round((one * 1000) / unitsPerEm));
    return Dictionary.of({
      ...{ Type: Name.of("FontDescriptor"), FontName: name, Flags: SYMBOLIC, ItalicAngle: 0, StemV: STEM_WIDTH },
      ...{ FontBBox: [-1000, descent!, 2000, ascent!], Ascent: ascent!, Descent: descent!, CapHeight: ascent! },
    });
  }

  /** Returns the glyph of each code, in two bytes (9.7.4.2). */
  #glyphMap(): Uint8Array {
    const map = new DataView(new ArrayBuffer(2 * (FIRST_CARRIER + this.#carriers.size)));
    for (const glyph of this.#glyphs) map.setUint16(2 * glyph, glyph);
    const blank = this.#font.typeface.glyphOf(SPACE)!;
    for (const code of this.#carriers.values()) map.setUint16(2 * code, blank);
    return new Uint8Array(map.buffer);
  }

  #widths() {
    const codes = [...this.#glyphs].map((glyph) => [this.#codeOf(glyph), this.widthOf(glyph)] as const);
    codes.push(...[...this.#carriers.values()].map((code) => [code, 0] as const));
    return codes.sort(([one], [other]) => one - other).flatMap(([code, width]) => [code, [width]]);
  }
}

/** A Type 3 font of pictures. */
class PictureFont {
  readonly reference: Reference;
  readonly pictures: { readonly form: Reference; readonly text: string }[] = [];

  constructor(reference: Reference) {
    this.reference = reference;
  }

  get isFull(): boolean {
    return this.pictures.length === CODES_OF_TYPE_3;
  }

  write({ file }: OpenPdf, matrices: ReadonlyMap<number, string>): void {
    const add = (text: string) => file.add(new PdfStream(new Dictionary(), plainBody(Buffer.from(text))));
    const width = EMOJI.advance * 1000;
    const bottom = EMOJI.bottom * 1000;
    const entries = this.pictures.map(({ form }, code) => {
      const content = `${width} 0 d0 q ${matrices.get(form.number)} cm /P${code} Do Q`;
      return { name: `p${code}`, content: add(content), form };
    });
    const texts = this.pictures.map(({ text }, code) => [code, { bytes: 1, text }] as const);
    const font = Dictionary.of({
      ...{ Type: Name.of("Font"), Subtype: Name.of("Type3"), FontMatrix: [0.001, 0, 0, 0.001, 0, 0] },
      FontBBox: [0, bottom, width, bottom + EMOJI.height * 1000],
      CharProcs: Dictionary.of(Object.fromEntries(entries.map(({ name, content }) => [name, content]))),
      Encoding: Dictionary.of({
        Type: Name.of("Encoding"),
        Differences: [0, ...entries.map(({ name }) => Name.of(name))],
      }),
      ...{ FirstChar: 0, LastChar: entries.length - 1, Widths: entries.map(() => width) },
      Resources: Dictionary.of({
        XObject: Dictionary.of(Object.fromEntries(entries.map(({ form }, code) => [`P${code}`, form]))),
      }),
      ToUnicode: add(toUnicodeCMap(new Map(texts), ONE_BYTE)),
    });
    file.put(this.reference, font);
  }
}

/** All fonts that a job adds to a document. */
export class EmbeddedFonts {
  readonly #pdf: OpenPdf;
  readonly #fonts = new Map<ShelfFont, EmbeddedFont>();
  readonly #pictureFonts: PictureFont[] = [];
  readonly #codes = new Map<EmojiPicture, { readonly reference: Reference; readonly code: string }>();
  /** Maps each picture's form to the units of a glyph, by object number. */
  readonly #matrices = new Map<number, string>();

  constructor(pdf: OpenPdf) {
    this.#pdf = pdf;
  }

  embed(font: ShelfFont): EmbeddedFont {
    const known = this.#fonts.get(font) ?? new EmbeddedFont(font, this.#pdf.file.add(null));
    this.#fonts.set(font, known);
    return known;
  }

  /** Embeds a picture as a glyph. */
  async embedPicture(picture: EmojiPicture, text: string, signal: AbortSignal): Promise<void> {
    if (this.#codes.has(picture)) return;
    const { reference: form, box } = await addImageForm(this.#pdf, memoryInput(picture.png, "emoji.png"), signal);
    const [width, height] = [(EMOJI.width * 1000) / box.width, (EMOJI.height * 1000) / box.height];
    this.#matrices.set(form.number, `${width} 0 0 ${height} 0 ${EMOJI.bottom * 1000}`);
    const last = this.#pictureFonts.at(-1);
    const font = last && !last.isFull ? last : new PictureFont(this.#pdf.file.add(null));
    if (font !== last) this.#pictureFonts.push(font);
    font.pictures.push({ form, text });
    const code = (font.pictures.length - 1).toString(16).padStart(2, "0");
    this.#codes.set(picture, { reference: font.reference, code });
  }

  /** Returns the font and the code of an embedded picture, as two hexadecimal digits. */
  codeOf(picture: EmojiPicture) {
    return this.#codes.get(picture)!;
  }

  /** Writes the fonts. Must be called once, after the last text. */
  finish(): void {
    for (const font of this.#fonts.values()) font.write(this.#pdf);
    for (const font of this.#pictureFonts) font.write(this.#pdf, this.#matrices);
  }
}

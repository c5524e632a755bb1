// Chooses the font of each character in a field: the font of its default appearance, or a fallback font.
import { EngineFailure } from "../contract/failure.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, type PdfObject, Reference, type Value } from "../objects/values.ts";
import { type Encoded, type Encoder, encoderOf } from "./font-encoders.ts";
import { addSpareFont, makeSpareFont, type SpareFont, spareFontsFor } from "./spare-fonts.ts";

/** Maximum number of characters to measure for the fields of a page: many fields can share one long value. */
const MAX_CHARACTERS = 2_000_000;

/** Characters that no font has to contain: controls, spaces, marks without a glyph of their own. */
const WITHOUT_GLYPH = /[\p{C}\p{Z}\p{M}]/u;
/** Characters without a glyph in any font. */
const CONTROL = /[\p{Cc}\p{Cf}]/u;
/**
 * Matches text whose glyphs depend on their neighbors: with marks, Arabic, and the scripts of South and Southeast Asia.
 */
const SHAPED = /[\p{M}\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u1aff\u1b00-\u1c4f\ua800-\ua9ff\uaa60-\uabff]/u;
/** Maximum number of fonts of the form that can replace the font of a field. */
const MAX_REPLACEMENTS = 50;

/** Adds an object to the document. */
export type AddObject = (object: PdfObject) => Reference;

export interface Glyph extends Encoded {
  /** Resource name of the font. */
  readonly font: string;
}

interface Known {
  readonly font: Value;
  readonly encode: Encoder;
}

/** Font names that forms use without defining them, and the fonts that viewers use in their place. */
const ALIASES: Readonly<Record<string, string>> = {
  HeBo: "Helvetica-Bold",
  TiRo: "Times-Roman",
  TiBo: "Times-Bold",
  TiIt: "Times-Italic",
  Cour: "Courier",
  CoBo: "Courier-Bold",
};

/** The fonts of a document's fields. */
export class FieldFonts {
  readonly #file: PdfFile;
  readonly #named: Dictionary | undefined;
  readonly #add: AddObject;
  readonly #known = new Map<string, Known | undefined>();
  #left = MAX_CHARACTERS;

  /** @param form the AcroForm dictionary */
  constructor(file: PdfFile, form: Dictionary | undefined, add: AddObject) {
    this.#file = file;
    this.#named = file.dictionary(file.dictionary(form?.get("DR"))?.get("Font"));
    this.#add = add;
  }

  /** Returns the name of a font outside of the form. @param name resource name of the font in the form */
  baseFontOf(name: string): string {
    const known = this.#font(name);
    return this.#file.name(this.#file.dictionary(known?.font)?.get("BaseFont")) ?? "";
  }

  /** @param name resource name of the font in the form */
  of(name: string): TextFont {
    return new TextFont(
      name,
      (font) => this.#font(font),
      (characters) => this.spend(characters),
      [...(this.#named?.keys() ?? [])].slice(0, MAX_REPLACEMENTS),
    );
  }

  /** Must be called before the fields of each page: it resets the limit of characters per page. */
  beginPage(): void {
    this.#left = MAX_CHARACTERS;
  }

  /** @throws EngineFailure `too-complex` if the page's fields have far more text than a page can show */
  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new EngineFailure("too-complex", "the values of the fields are too long");
  }

  #font(name: string): Known | undefined {
    if (this.#known.has(name)) return this.#known.get(name);
    const known = this.#find(name);
    this.#known.set(name, known);
    return known;
  }

  #find(name: string): Known | undefined {
    const file = this.#file;
    const spare = SPARE.exec(name)?.[1];
    const value = spare ? undefined : this.#named?.get(name);
    const dictionary =
      file.dictionary(value) ??
      (spare ? makeSpareFont(spare as SpareFont) : standardFont(ALIASES[name] ?? "Helvetica"));
    const encode = encoderOf(file, dictionary);
    if (!encode) return undefined;
    const font = value instanceof Reference && file.dictionary(value) ? value : addSpareFont(dictionary, this.#add);
    return { font, encode };
  }
}

const SPARE = /^Spare\.(\w+)$/;

const standardFont = (baseFont: string): Dictionary =>
  Dictionary.of({
    Type: Name.of("Font"),
    Subtype: Name.of("Type1"),
    BaseFont: Name.of(baseFont),
    Encoding: Name.of("WinAnsiEncoding"),
  });

/** The fonts of one field. */
export class TextFont {
  readonly #name: string;
  readonly #fontOf: (name: string) => Known | undefined;
  readonly #spend: (characters: number) => void;
  readonly #used = new Map<string, Value>();
  readonly #replacements: readonly string[];
  readonly #glyphs = new Map<string, Glyph | undefined>();
  #isComplete = true;

  /** @param replacements names of the form's fonts, for characters that no other font contains */
  constructor(
    name: string,
    fontOf: (name: string) => Known | undefined,
    spend: (characters: number) => void,
    replacements: readonly string[],
  ) {
    this.#replacements = replacements;
    this.#name = name;
    this.#fontOf = fontOf;
    this.#spend = spend;
  }

  /** False if a character was left out because no font contains it. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /**
   * Reports whether the named font has all characters, and shows them in their order. Each viewer has a font that
   * replaces it for Western characters.
   */
  fits(text: string): boolean {
    this.#spend(text.length);
    if (SHAPED.test(text)) return false;
    const [own, western] = [this.#name, "Spare.western"].map((name) => this.#fontOf(name));
    return [...text].every((one) => CONTROL.test(one) || own?.encode(one) || western?.encode(one));
  }

  /** @returns the glyphs in the order of the characters, except characters that no font contains */
  glyphs(characters: readonly string[], text: string = characters.join("")): Glyph[] {
    this.#spend(characters.length);
    return characters.flatMap((character) => this.#glyph(character, text) ?? []);
  }

  /** Returns the advance width of a character at font size 1. @param text the text that contains the character */
  advance(character: string, text: string): number {
    this.#spend(1);
    return (this.#glyph(character, text)?.width ?? 0) / 1000;
  }

  /** Returns the fonts of all glyphs returned so far, by resource name. */
  resources(): Dictionary {
    return Dictionary.of(Object.fromEntries(this.#used));
  }

  #glyph(character: string, text: string): Glyph | undefined {
    const known = this.#glyphs.get(character);
    if (known || this.#glyphs.has(character)) return known;
    const glyph = this.#find(character, text);
    this.#glyphs.set(character, glyph);
    return glyph;
  }

  #find(character: string, text: string): Glyph | undefined {
    const spare = character < " " ? [] : spareFontsFor(character, text);
    for (const name of [this.#name, ...spare.map((kind) => `Spare.${kind}`), ...this.#replacements]) {
      const font = this.#fontOf(name);
      const encoded = font?.encode(character);
      if (!font || !encoded) continue;
      this.#used.set(name, font.font);
      return { ...encoded, font: name };
    }
    if (!WITHOUT_GLYPH.test(character)) this.#isComplete = false;
    return undefined;
  }
}

/** Returns the total width of glyphs at font size 1. */
export const widthOf = (glyphs: readonly Glyph[]): number => glyphs.reduce((sum, { width }) => sum + width, 0) / 1000;

// Decodes the strings that content shows, by the fonts alone: independent of MuPDF.

import { EngineFailure } from "../contract/failure.ts";
import {
  dingbatsEncoding,
  standardEncoding,
  symbolEncoding,
  unicodeOfName,
  winAnsiEncoding,
} from "../fonts/names/glyph-names.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import type { Dictionary, Value } from "../objects/values.ts";
import { CMap, parseCMap } from "../text/cmap.ts";
import { readSimpleEncoding } from "../text/simple-encoding.ts";
import { guessesOf } from "./fonts/guesses.ts";

/** Stands for a code without a known character. */
export const UNKNOWN = "\ufffd";
const MAX_CMAP_BYTES = 16 * 2 ** 20;

/** Returns the text of a string that a font shows; U+FFFD for a code without a known character. */
export type FontText = (latin1: string) => string;

const UNREADABLE: FontText = (latin1) => UNKNOWN.repeat(latin1.length);

const withoutGuesses = (text: string) =>
  String.fromCodePoint(...Array.from(text, (one) => guessesOf(one.codePointAt(0)!)[0]));

export class FontTexts {
  readonly #file: PdfFile;
  readonly #known = new Map<Dictionary, FontText>();

  constructor(file: PdfFile) {
    this.#file = file;
  }

  of(value: Value | undefined): FontText {
    const font = this.#file.dictionary(value);
    if (!font) return UNREADABLE;
    const known = this.#known.get(font) ?? this.#read(font);
    this.#known.set(font, known);
    return known;
  }

  #read(font: Dictionary): FontText {
    const given = this.#cmap(font.get("ToUnicode"))?.unicode ?? [];
    const toUnicode = new Map(Array.from(given, ([code, text]) => [code, withoutGuesses(text)]));
    return this.#file.name(font.get("Subtype")) === "Type0"
      ? this.#composite(font, toUnicode)
      : this.#simple(font, toUnicode);
  }

  #simple(font: Dictionary, toUnicode: ReadonlyMap<number, string>): FontText {
    const name = this.#file.name(font.get("BaseFont")) ?? "";
    const isDingbats = /Dingbats/i.test(name);
    const isTrueType = this.#file.name(font.get("Subtype")) === "TrueType";
    const base = isDingbats
      ? dingbatsEncoding()
      : /Symbol/.test(name)
        ? symbolEncoding()
        : isTrueType
          ? winAnsiEncoding()
          : standardEncoding();
    const { names } = readSimpleEncoding(this.#file, font.get("Encoding"), base);
    return (latin1) =>
      Array.from(latin1, (character) => {
        const code = character.charCodeAt(0);
        const glyph = names[code];
        return toUnicode.get(code) ?? (glyph === undefined ? UNKNOWN : (unicodeOfName(glyph, isDingbats) ?? UNKNOWN));
      }).join("");
  }

  #composite(font: Dictionary, toUnicode: ReadonlyMap<number, string>): FontText {
    const encoding = this.#file.name(font.get("Encoding")) ?? "";
    const own = this.#cmap(font.get("Encoding"));
    const cmap = own && own.allSpaces().length > 0 ? own : CMap.identity(false);
    const isUtf16 = /-(UCS2|UTF16)-[HV]$/.test(encoding);
    return (latin1) =>
      cmap
        .split(latin1)
        .map(({ code }) => toUnicode.get(code) ?? (isUtf16 ? String.fromCharCode(code) : UNKNOWN))
        .join("");
  }

  #cmap(value: Value | undefined): CMap | undefined {
    const stream = this.#file.stream(value);
    if (!stream) return undefined;
    try {
      return parseCMap(stream.body.decoded(MAX_CMAP_BYTES));
    } catch (error) {
      if (error instanceof EngineFailure && error.reason === "damaged") return undefined;
      throw error;
    }
  }
}

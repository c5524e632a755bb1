// Loads the fonts of a job's texts, each once, and chooses a font for each grapheme cluster.

import type { TypefaceProvider } from "../contract/font-provider.ts";
import { HarfBuzz, type Typeface } from "../engines/harfbuzz/harfbuzz.ts";
import type { RequestedFont } from "./requested-font.ts";
import { type FaceFile, type FallbackStyle, fallbackFaces, languageOf } from "./scripts.ts";

/** An open font, and its file, from which glyphs are embedded. */
export interface ShelfFont {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly typeface: Typeface;
}

/** A picture in place of a grapheme cluster. */
export interface EmojiPicture {
  readonly png: Uint8Array;
}

/** A font, or a picture, for one grapheme cluster. */
export type Choice = { readonly font: ShelfFont; readonly isComplete: boolean } | { readonly picture: EmojiPicture };

/** Collections of Noto CJK: too large for an isolate, so only the characters of the job are loaded. */
const IN_PARTS = /CJK/;
/** Matches clusters that are shown as pictures: emoji by default, with a variation selector, and keycaps. */
const EMOJI =
  /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Regional_Indicator}{2}|\p{Emoji}\p{Emoji_Modifier}|[0-9#*]\ufe0f?\u20e3)/u;
/** Matches characters that need no glyph of their own, such as joiners and variation selectors. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

export class FontShelf {
  readonly #provider: TypefaceProvider;
  readonly #shaper = new HarfBuzz();
  readonly #characters: string;
  readonly #fonts = new Map<string, Promise<ShelfFont | undefined>>();
  readonly #pictures = new Map<string, EmojiPicture>();
  #missing = 0;

  private constructor(provider: TypefaceProvider, characters: string) {
    this.#provider = provider;
    this.#characters = characters;
  }

  /** @param texts all texts of the job */
  static async open(provider: TypefaceProvider, texts: readonly string[]): Promise<FontShelf> {
    const characters = new Set(texts.flatMap((text) => [...text]));
    const shelf = new FontShelf(provider, [...characters].sort().join(""));
    const emoji = new Set(texts.flatMap(clustersOf).filter((cluster) => EMOJI.test(cluster)));
    const pictures = emoji.size > 0 ? await provider.emoji([...emoji]) : [];
    [...emoji].forEach((cluster, index) => {
      const png = pictures[index];
      if (png) shelf.#pictures.set(cluster, { png });
    });
    return shelf;
  }

  /** Number of grapheme clusters for which no font has all characters. */
  get missing(): number {
    return this.#missing;
  }

  /** Returns the font of a file; undefined if it is not installed. */
  font({ face, member }: FaceFile): Promise<ShelfFont | undefined> {
    const key = `${face} ${member ?? 0}`;
    const known = this.#fonts.get(key) ?? this.#load({ face, ...(member === undefined ? {} : { member }) });
    this.#fonts.set(key, known);
    return known;
  }

  async #load(file: FaceFile): Promise<ShelfFont | undefined> {
    const part = IN_PARTS.test(file.face) ? { ...file, characters: this.#characters } : file;
    const bytes = await this.#provider.typeface(part);
    return bytes && { name: file.face, bytes, typeface: this.#shaper.open(bytes) };
  }

  /**
   * Chooses a font for each cluster of a text.
   * @returns choices by cluster; undefined if no font is installed
   */
  async choose(clusters: readonly string[], requested: RequestedFont): Promise<readonly Choice[] | undefined> {
    const own = await this.font(requested.file);
    const language = languageOf(clusters.join(""));
    const style = { ...requested, language };
    const choices: Choice[] = [];
    const fallbacks = new Map<string, ShelfFont | undefined>();
    const fallback = async (cluster: string) => {
      if (!fallbacks.has(cluster)) fallbacks.set(cluster, await this.#fallback(cluster, style, own));
      return fallbacks.get(cluster);
    };
    let last = own;
    for (const cluster of clusters) {
      const picture = this.#pictures.get(cluster);
      if (picture) {
        choices.push({ picture });
        continue;
      }
      // A space belongs to the word before it, so that the word stays one run.
      const first = /^\s/.test(cluster) ? last : own;
      const found = first && hasAll(first, cluster) ? first : await fallback(cluster);
      const font = found ?? own ?? last;
      if (!font) return undefined;
      if (!found) this.#missing++;
      choices.push({ font, isComplete: found !== undefined });
      last = font;
    }
    return choices;
  }

  async #fallback(cluster: string, style: FallbackStyle, own: ShelfFont | undefined): Promise<ShelfFont | undefined> {
    if (own && hasAll(own, cluster)) return own;
    for (const file of fallbackFaces(cluster, style)) {
      const font = await this.font(file);
      if (font && hasAll(font, cluster)) return font;
    }
    return undefined;
  }
}

const hasAll = ({ typeface }: ShelfFont, cluster: string): boolean =>
  [...cluster].every((one) => typeface.glyphOf(one.codePointAt(0)!) !== undefined || INVISIBLE.test(one));

let segmenter: Intl.Segmenter | undefined;

/** Returns the grapheme clusters of a text (Unicode Standard Annex 29). */
export function clustersOf(text: string): string[] {
  // Most texts are ASCII, of which each character is a cluster.
  if (/^[\x20-\x7e]*$/.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

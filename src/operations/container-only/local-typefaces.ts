// Reads fonts of the host for typesetting: small fonts as they are, parts of large ones, and pictures of emoji.

import type { FontProvider, TypefaceProvider } from "../../document/contract/font-provider.ts";
import { HarfBuzz, type Typeface } from "../../document/engines/harfbuzz/harfbuzz.ts";
import { subsetTypeface } from "../../document/engines/harfbuzz/subset-typeface.ts";

const EMOJI_FACE = "NotoColorEmoji";

export function localTypefaces(fonts: FontProvider): TypefaceProvider {
  return {
    async typeface({ face, ...part }) {
      const bytes = fonts.face(face);
      const isWhole = part.characters === undefined && part.member === undefined;
      return isWhole ? bytes : bytes && subsetTypeface(bytes, part);
    },
    async emoji(sequences) {
      const bytes = fonts.face(EMOJI_FACE);
      const typeface = bytes && new HarfBuzz().open(bytes);
      return sequences.map((text) => typeface && pictureOf(text, typeface));
    },
  };
}

/** @returns undefined if the font has no single glyph, or no picture, for the text */
function pictureOf(text: string, typeface: Typeface): Uint8Array | undefined {
  const [first, ...more] = typeface.shape({ text, start: 0, end: text.length, isRightToLeft: false });
  const picture = first && more.length === 0 ? typeface.picture(first.glyph) : undefined;
  return picture?.length ? picture : undefined;
}

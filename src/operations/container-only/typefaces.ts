// Reads the container's fonts for text that the edge sets.

import { EngineFailure } from "../../document/contract/failure.ts";
import type { TypefaceProvider } from "../../document/contract/font-provider.ts";
import { type Context, defineOperation } from "../../document/contract/operation.ts";
import { subsetTypeface } from "../../document/engines/harfbuzz/subset-typeface.ts";
import { drawEmoji as emojiDeclaration, readTypeface as typefaceDeclaration } from "../typefaces.ts";

export const readTypeface = defineOperation({
  ...typefaceDeclaration,
  /** @throws EngineFailure `unsupported` if there is no such font */
  async *run(_, part, context) {
    const font = await typefacesOf(context).typeface(part);
    // A whole font is sent without its hints, which are half of it.
    const body = font && (part.characters === undefined ? (subsetTypeface(font) ?? font) : font);
    if (!body) throw new EngineFailure("unsupported", `no font ${part.face}`);
    yield { extension: "otf", type: "font/otf", body };
  },
});

export const drawEmoji = defineOperation({
  ...emojiDeclaration,
  async *run(_, { sequences }, context) {
    for (const picture of await typefacesOf(context).emoji(sequences)) {
      yield { extension: "png", type: "image/png", body: picture ?? new Uint8Array(0) };
    }
  },
});

/** @throws EngineFailure `unsupported` without fonts */
function typefacesOf({ typefaces }: Pick<Context, "typefaces">): TypefaceProvider {
  if (!typefaces) throw new EngineFailure("unsupported", "no fonts");
  return typefaces;
}

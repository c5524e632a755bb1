// Font providers for the repair of fonts: one with a cache, and an empty one.
import type { FontProvider } from "../../contract/font-provider.ts";

/** Maximum size of all cached faces. */
const KEPT_BYTES = 64 * 2 ** 20;

/** Adds a cache to a provider, for one document: several of its fonts often need the same face. */
export function memoizeProvider(fonts: FontProvider): FontProvider {
  const faces = new Map<string, Uint8Array | undefined>();
  let left = KEPT_BYTES;
  return {
    cmap: (name) => fonts.cmap(name),
    face(name) {
      if (faces.has(name)) return faces.get(name);
      const bytes = fonts.face(name);
      left -= bytes?.length ?? 0;
      if (left >= 0) faces.set(name, bytes);
      return bytes;
    },
  };
}

/** Provides no fonts: fonts that are not embedded stay unchanged. */
export const NO_FONTS: FontProvider = { face: () => undefined, cmap: () => undefined };

// What fonts are mended with and the repair cannot carry with it: font programs to stand in for those that are not embedded, and
// the predefined CMaps. Knows no paths: the host says where they lie.

export interface FontShelf {
  /**
   * @param name of a face, as its file is called, for example `LiberationSans-Bold`
   * @returns the bytes of an OpenType file or collection; undefined where there is none
   */
  face(name: string): Promise<Uint8Array | undefined>;
  /**
   * @param name of a predefined CMap (ISO 32000-1, table 118), or of one that gives Unicode values, for example `Adobe-Japan1-UCS2`
   * @returns its PostScript; undefined where there is none
   */
  cmap(name: string): Promise<Uint8Array | undefined>;
}

/** Of faces that are kept at hand. */
const KEPT_BYTES = 64 * 2 ** 20;

/** The same shelf for one document, whose fonts ask for the same faces. */
export function keptAtHand(shelf: FontShelf): FontShelf {
  const faces = new Map<string, Uint8Array | undefined>();
  let left = KEPT_BYTES;
  return {
    cmap: (name) => shelf.cmap(name),
    async face(name) {
      if (faces.has(name)) return faces.get(name);
      const bytes = await shelf.face(name);
      left -= bytes?.length ?? 0;
      if (left >= 0) faces.set(name, bytes);
      return bytes;
    },
  };
}

/** Where nothing is at hand: fonts that are not embedded stay as they are. */
export const EMPTY_SHELF: FontShelf = { face: async () => undefined, cmap: async () => undefined };

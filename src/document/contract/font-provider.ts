// Interfaces of the host's fonts and CMaps, independent of their location.

/** Synchronous, because engines request fonts during drawing. */
export interface FontProvider {
  /**
   * Returns an OpenType file or collection; undefined if there is none.
   * @param name file name of the face without extension, for example `LiberationSans-Bold`
   */
  face(name: string): Uint8Array | undefined;
  /**
   * Returns the PostScript source of a CMap; undefined if there is none.
   * @param name a predefined CMap (ISO 32000-1, table 118), or a mapping to Unicode, for example `Adobe-Japan1-UCS2`
   */
  cmap(name: string): Uint8Array | undefined;
}

/** A part of a font, or a whole one. */
export interface TypefacePart {
  /** File name without extension, for example `NotoSansCJK-Regular`. */
  readonly face: string;
  /** Index of the font in a collection. @default 0 */
  readonly member?: number | undefined;
  /** The characters that are needed. @default all */
  readonly characters?: string | undefined;
}

export interface TypefaceProvider {
  /** Returns an OpenType font that shapes these characters as the whole font would; undefined if there is none. */
  typeface(part: TypefacePart): Promise<Uint8Array | undefined>;
  /** Returns the pictures of emoji, as PNG, in the order of the emoji; undefined for those without a picture. */
  emoji(sequences: readonly string[]): Promise<readonly (Uint8Array | undefined)[]>;
}

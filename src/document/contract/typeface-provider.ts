// Interface of the host's fonts for typesetting, independent of their location. Fonts are large, so callers ask only for
// what they need.

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

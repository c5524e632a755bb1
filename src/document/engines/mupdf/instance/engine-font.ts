// Fonts of the host that an engine can use.

/** A host font that replaces a font that is not embedded. */
export interface EngineFont {
  readonly name: string;
  /** An OpenType file or collection. */
  readonly bytes: Uint8Array;
  /** Index of the face in a collection. */
  readonly index: number;
}

/**
 * Chooses the replacement of a font that is not embedded, by its name.
 * @param language `JP`, `KR`, `SC` or `TC` for a CJK font, other text for other fonts
 * @returns undefined for MuPDF's built-in font
 */
export type EngineFonts = (name: string, language: string) => EngineFont | undefined;

// Plan for one font program: the glyphs to keep, and the result.
import type { PdfStream, Reference } from "../../objects/values.ts";

/** The plan for one font program, which several fonts can share. */
export interface FontPlan {
  readonly program: Reference;
  /** Undefined if the program does not fit its font. */
  readonly format: "truetype" | "cff" | "type1" | undefined;
  /** The glyphs that text shows. */
  readonly glyphs: Set<number>;
  /** True if `glyphs` is complete: text can show no other glyphs. */
  areGlyphsKnown: boolean;
  /** True if the program must keep unused glyphs. */
  keepsAll: boolean;
  /** True if every font of the program looks up glyphs by number, none by character. */
  byNumber: boolean;
  /** True if every font of the program looks up glyphs by name. */
  byName?: boolean;
  keepsHints: boolean;
  /**
   * The codes or characters that fonts with one-byte codes look up: characters in a TrueType program, codes in Type 1
   * and CFF.
   */
  readonly characters: Set<number>;
  /** The common name of the program's fonts, without a subset tag. Empty if their names differ. */
  family?: string;
  /** True if the program also replaces other programs. */
  isMerged?: true;
  /** The new stream. Null if it would not be smaller than the old one; undefined until it is built. */
  replacement?: PdfStream | null;
  /** True if the new stream is a CFF program that replaces a Type 1 program. */
  isConverted?: boolean;
  /** The subset tag of the new font name. */
  tag?: string;
}

/** Returns the glyphs to keep; undefined to keep all. */
export const keptGlyphs = ({ glyphs, areGlyphsKnown, keepsAll }: FontPlan): ReadonlySet<number> | undefined =>
  areGlyphsKnown && !keepsAll ? glyphs : undefined;

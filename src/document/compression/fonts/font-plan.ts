// Defines the plan for one font program: the glyphs to keep and the result. Knows nothing about font formats.
import type { PdfStream, Reference } from "../../objects/values.ts";

/** The plan for one font program, which several fonts may share. */
export interface FontPlan {
  readonly program: Reference;
  /** Undefined if the program does not fit its font. */
  readonly format: "truetype" | "cff" | "type1" | undefined;
  /** The glyphs that text shows. */
  readonly glyphs: Set<number>;
  /** True if no glyphs other than `glyphs` can be requested. */
  isKnown: boolean;
  /** True if unused glyphs are kept. */
  keepsAll: boolean;
  /** True if no font looks up glyphs by character. */
  byNumber: boolean;
  /** True if all fonts look up glyphs by name. */
  byName?: boolean;
  keepsHints: boolean;
  /**
   * The codes or characters that fonts with one-byte codes look up: characters in TrueType, codes in Type 1 and CFF.
   */
  readonly characters: Set<number>;
  /** The name of its fonts without a subset tag. Empty if the names differ. */
  family?: string;
  /** True if the program also replaces other programs. */
  isMerged?: true;
  /** The new stream. Null if it would not be smaller. */
  made?: PdfStream | null;
  /** True if the new stream is a CFF program that replaces a Type 1 program. */
  isConverted?: boolean;
  /** The tag of the subset's name. */
  tag?: string;
}

/** Returns the glyphs to keep. Undefined for all glyphs. */
export const keptGlyphs = ({ glyphs, isKnown, keepsAll }: FontPlan): ReadonlySet<number> | undefined =>
  isKnown && !keepsAll ? glyphs : undefined;

// What becomes of one font program. Knows no font formats.
import type { PdfStream, Reference } from "../objects/values.ts";

/** Of one font program, which several fonts can have. */
export interface FontPlan {
  readonly program: Reference;
  /** Undefined for one that does not fit its font. */
  readonly format: "truetype" | "cff" | "type1" | undefined;
  /** Those that text shows. */
  readonly glyphs: Set<number>;
  /** Whether these are all that can be asked for. */
  isKnown: boolean;
  /** Whether the others stay, too. */
  keepsAll: boolean;
  /** Whether no font asks for glyphs by character. */
  byNumber: boolean;
  /** Whether all fonts ask for glyphs by name. */
  byName?: boolean;
  keepsHints: boolean;
  /** What fonts with codes of one byte look up: characters in TrueType, codes in Type 1 and CFF. */
  readonly characters: Set<number>;
  /** The name of its fonts, without the tag of a subset; empty where they differ. */
  family?: string;
  /** Whether it took the place of others as well. */
  isMerged?: true;
  /** The stream that was made; null where none is smaller. */
  made?: PdfStream | null;
  /** Whether that is in CFF, in the place of a program of Type 1. */
  isConverted?: boolean;
  /** Of the subset's name. */
  tag?: string;
}

/** The glyphs that stay; undefined for all. */
export const keptGlyphs = ({ glyphs, isKnown, keepsAll }: FontPlan): ReadonlySet<number> | undefined =>
  isKnown && !keepsAll ? glyphs : undefined;

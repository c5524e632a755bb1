// Types for the repair of one font: the font with the codes that text shows, and everything that the repair needs.
import type { FontProvider } from "../../contract/font-provider.ts";
import type { NoticeSubject } from "../../contract/notice.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import type { Dictionary } from "../../objects/values.ts";
import type { CharacterCode } from "../../text/cmap.ts";
import type { PdfaLevel } from "../level.ts";

export interface FontTask {
  readonly file: PdfFile;
  readonly level: PdfaLevel;
  readonly fonts: FontProvider;
  /**
   * True if a validator reported missing Unicode values in the repaired file. `areCMapsDistrusted`: true if it reported
   * incorrect CMaps.
   */
  readonly isUnicodeDistrusted: boolean;
  readonly areCMapsDistrusted: boolean;
  /** True if a validator reported a shown glyph as .notdef. */
  readonly isCodeZeroRefused: boolean;
  /** Functions that return text with new codes, by object number of the font. Only for fonts whose codes change. */
  readonly newCodes: Map<number, (latin1: string) => string>;
  /** Fonts whose glyphs now come from another font. */
  readonly substituted: NoticeSubject[];
}

export interface ShownFont {
  /** Object number. */
  readonly number: number;
  /** A copy of the font dictionary. Changes to it are written to the file. */
  readonly font: Dictionary;
  /** The codes, without repeats. */
  readonly codes: readonly CharacterCode[];
  /**
   * True if visible text uses the font. A font that only invisible text uses need not be embedded (ISO 19005-2,
   * 6.2.11.4.1).
   */
  readonly isVisible: boolean;
  /** True if users fill in form fields with the font, so that future text is unknown. */
  readonly isTyped: boolean;
}

/** The result of repairing a font program. */
export interface RepairedProgram {
  /** Returns the text that the font itself assigns to a code, regardless of ToUnicode. */
  readonly unicodeOf: (code: CharacterCode) => string | undefined;
  /** True if the encoding that defined the meaning of codes was replaced. */
  readonly isChanged: boolean;
}

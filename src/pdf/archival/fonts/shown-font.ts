// A font on its way to PDF/A: what text shows in it, and what it is mended with.
import type { NoticeSubject } from "../../../operations/notice.ts";
import type { CharacterCode } from "../../fonts/cmap.ts";
import type { PdfFile } from "../../pdf-file.ts";
import type { Dictionary } from "../../values.ts";
import type { ArchivalLevel } from "../level.ts";
import type { FontShelf } from "./font-shelf.ts";

export interface FontTask {
  readonly file: PdfFile;
  readonly level: ArchivalLevel;
  readonly shelf: FontShelf;
  /** Whether a validator found Unicode values missing, or CMaps not as they have to be, after all was done. */
  readonly isUnicodeDistrusted: boolean;
  readonly areCMapsDistrusted: boolean;
  /** Fonts whose glyphs are those of another font now. */
  readonly substituted: NoticeSubject[];
}

export interface ShownFont {
  /** The caller's own: what is changed in it is put into the file. */
  readonly font: Dictionary;
  /** Each once. */
  readonly codes: readonly CharacterCode[];
  /** Whether text is drawn with it: what is only there to be searched for need not be embedded (ISO 19005-2, 6.2.11.4.1). */
  readonly isVisible: boolean;
  /** Whether fields of a form are filled in with it: what will be typed is not known. */
  readonly isTyped: boolean;
}

/** What became of a font's program. */
export interface Mended {
  /** What the font says of a code, apart from ToUnicode. */
  readonly unicodeOf: (code: CharacterCode) => string | undefined;
  /** Whether the encoding that told what codes stand for is no more. */
  readonly isChanged: boolean;
}

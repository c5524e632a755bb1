// Collects the codes shown in each font, and the fonts that must also be able to show other codes.
import { EngineFailure } from "../../contract/failure.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { type Dictionary, type PdfString, Reference, type Value } from "../../objects/values.ts";
import { directFormFonts, formFonts, walkShownText } from "../../text/shown-text.ts";

export interface FontUses {
  /** The shown strings, by the font's object number. */
  readonly shown: ReadonlyMap<number, ShownCodes>;
  /** Object numbers of form field fonts, which must be able to show any text that users type. */
  readonly kept: ReadonlySet<number>;
  /** Form field fonts that are direct objects. */
  readonly keptDirect: readonly Dictionary[];
}

/**
 * The shown codes. Strings are read both as one-byte and as two-byte codes, because only the font defines the code
 * length.
 */
export interface ShownCodes {
  readonly bytes: Set<number>;
  readonly pairs: Set<number>;
}

/** @returns undefined if some text might have been missed */
export function findFontUses(file: PdfFile): FontUses | undefined {
  const shown = new Map<number, ShownCodes>();
  try {
    const isCertain = walkShownText(file, (font, strings) => add(shown, font, strings));
    return isCertain ? { shown, kept: formFonts(file), keptDirect: directFormFonts(file) } : undefined;
  } catch (error) {
    if (error instanceof EngineFailure && error.reason === "too-complex") return undefined;
    throw error;
  }
}

function add(shown: Map<number, ShownCodes>, font: Value | undefined, strings: readonly PdfString[]): void {
  if (!(font instanceof Reference)) return;
  const known = shown.get(font.number);
  const codes = known ?? { bytes: new Set<number>(), pairs: new Set<number>() };
  if (!known) shown.set(font.number, codes);
  for (const { latin1 } of strings) {
    for (let at = 0; at < latin1.length; at++) codes.bytes.add(latin1.charCodeAt(at));
    for (let at = 0; at + 1 < latin1.length; at += 2) {
      codes.pairs.add((latin1.charCodeAt(at) << 8) | latin1.charCodeAt(at + 1));
    }
  }
}

// Reads the text that one content stream shows, in the order of its operators.
import { readOperations } from "../content/content.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { type Dictionary, Name, PdfString, type Value } from "../objects/values.ts";
import type { FontText, FontTexts } from "./font-text.ts";

/** Adjustment between glyphs that counts as a space, as in MuPDF, in thousandths of the font size (ISO 32000-1, 9.4.3). */
const SPACE = -150;
/** Adjustment that counts as a new piece of text, such as the next column. */
const GAP = -1500;
const MAX_SAVED = 512;
const MOVES = new Set(["BT", "Td", "TD", "Tm", "T*", "'", '"', "Do"]);

/**
 * Returns the pieces of text between operators that move to another place.
 * @param resources of the stream; undefined without any
 */
export function piecesOf(
  file: PdfFile,
  bytes: Uint8Array,
  resources: Dictionary | undefined,
  fonts: FontTexts,
): string[] {
  const pieces: string[] = [];
  let piece = "";
  const saved: (FontText | undefined)[] = [];
  let font: FontText | undefined;
  const named = (category: string, name: Value | undefined) =>
    name instanceof Name ? file.dictionary(resources?.get(category))?.get(name.text) : undefined;
  const end = () => {
    if (piece !== "") pieces.push(piece);
    piece = "";
  };
  for (const { operator, operands } of readOperations(bytes)) {
    if (MOVES.has(operator)) end();
    if (operator === "q" && saved.length < MAX_SAVED) saved.push(font);
    else if (operator === "Q") font = saved.pop() ?? font;
    else if (operator === "Tf") font = fonts.of(named("Font", operands[0]));
    else if (operator === "gs") {
      const set = file.array(file.dictionary(named("ExtGState", operands[0]))?.get("Font"))?.[0];
      if (set !== undefined) font = fonts.of(set);
    } else if (operator === "TJ") {
      for (const part of Array.isArray(operands[0]) ? operands[0] : []) {
        if (part instanceof PdfString) piece += font?.(part.latin1) ?? "";
        else if (typeof part === "number" && part < GAP) end();
        else if (typeof part === "number" && part < SPACE) piece += " ";
      }
    } else if (operator === "Tj" || operator === "'" || operator === '"') {
      const shown = operands.at(-1);
      if (shown instanceof PdfString) piece += font?.(shown.latin1) ?? "";
    }
  }
  end();
  return pieces;
}

// Reads the text of a page or display list, visible or not, in MuPDF's order.
import type { FuelBudget, Mupdf } from "./instance/mupdf.ts";
import type { Pointer } from "./instance/raw.ts";

/** Consecutive characters in one direction. */
export interface TextLine {
  /** Direction of the baseline: a unit vector with y downwards. */
  readonly direction: readonly [x: number, y: number];
  readonly characters: readonly Character[];
}

export interface Character {
  /** Unicode code point; U+FFFD if unknown. */
  readonly codePoint: number;
  /** Origin of the character on the baseline: points with y downwards, in the space of the displayed page. */
  readonly x: number;
  readonly y: number;
  /** Font size in points. */
  readonly size: number;
  /** Font name in the document. */
  readonly fontName: string;
}

const TEXT_BLOCK = 0;
/** Maximum number of characters. A page of a telephone book has 20,000. */
const MAX_CHARACTERS = 500_000;

/**
 * Interprets the page again, and returns all its text except the text of annotations. Omits characters beyond
 * {@link MAX_CHARACTERS}.
 * @throws MupdfError if the page has any error; EngineFailure
 */
export function readTextOfContents(engine: Mupdf, page: Pointer, tank: FuelBudget, options = ""): readonly TextLine[] {
  const make = (options: Pointer) => engine.raw._wasm_new_stext_page_from_page(page, options);
  return readText(engine, tank, make, options);
}

/**
 * Returns the text of a display list. A display list omits invisible text whose glyphs have no outlines, as in many
 * scans with recognized text. Omits characters beyond {@link MAX_CHARACTERS}.
 * @throws MupdfError; EngineFailure
 */
export function readTextOfList(engine: Mupdf, list: Pointer, tank: FuelBudget, options = ""): readonly TextLine[] {
  const make = (options: Pointer) => engine.raw._wasm_new_stext_page_from_display_list(list, options);
  return readText(engine, tank, make, options);
}

/**
 * Option to include characters outside the page. Without it, the font's bounding box would decide whether a character
 * at the page edge is included.
 */
export const WHOLE_TEXT = "clip=no";

function readText(
  engine: Mupdf,
  tank: FuelBudget,
  make: (options: Pointer) => Pointer,
  options: string,
): readonly TextLine[] {
  const text = engine.run(() => engine.withText(options, make), tank);
  try {
    return engine.run((raw) => {
      const lines: TextLine[] = [];
      let count = 0;
      const names = new Map<Pointer, string>();
      const nameOf = (font: Pointer): string => {
        const known = names.get(font);
        if (known !== undefined) return known;
        const name = raw.UTF8ToString(raw._wasm_font_get_name(font));
        names.set(font, name);
        return name;
      };
      const point = (at: Pointer): [number, number] => [raw.HEAPF32[at >> 2]!, raw.HEAPF32[(at >> 2) + 1]!];
      let block = raw._wasm_stext_page_get_first_block(text);
      for (; block !== 0; block = raw._wasm_stext_block_get_next(block)) {
        if (raw._wasm_stext_block_get_type(block) !== TEXT_BLOCK) continue;
        let line = raw._wasm_stext_block_get_first_line(block);
        for (; line !== 0; line = raw._wasm_stext_line_get_next(line)) {
          const direction = point(raw._wasm_stext_line_get_dir(line));
          const characters: Character[] = [];
          let char = raw._wasm_stext_line_get_first_char(line);
          for (; char !== 0 && count < MAX_CHARACTERS; char = raw._wasm_stext_char_get_next(char), count++) {
            const [x, y] = point(raw._wasm_stext_char_get_origin(char));
            const codePoint = raw._wasm_stext_char_get_c(char);
            const size = raw._wasm_stext_char_get_size(char);
            characters.push({ codePoint, x, y, size, fontName: nameOf(raw._wasm_stext_char_get_font(char)) });
          }
          lines.push({ direction, characters });
        }
      }
      return lines;
    }, tank);
  } finally {
    engine.release((raw) => raw._wasm_drop_stext_page(text));
  }
}

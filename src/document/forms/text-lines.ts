// Breaks the text of a field into lines, and finds the automatic font size.
import { type Glyph, type TextFont, widthOf } from "./field-fonts.ts";
import { visualOrder } from "./visual-order.ts";

/** Line height, and ascent above the baseline, at font size 1, from the bounding box of Helvetica. */
export const LINE_HEIGHT = 1.156;
export const ASCENT = 0.931;
/** Distance from the center of a line to its baseline, at font size 1. */
export const BELOW_MIDDLE = 0.353;

const MIN_SIZE = 4;
const MAX_PARAGRAPH_SIZE = 12;
/** Characters, besides spaces, after which a line can break. */
const BREAKING = /[\u3000-\u9fff\uac00-\ud7ff\uff00-\uffef-]/u;

export interface Line {
  readonly glyphs: readonly Glyph[];
  /** Width at font size 1. */
  readonly width: number;
}

export interface Area {
  readonly width: number;
  readonly height: number;
}

export const paragraphsOf = (text: string): string[] => text.split(/\r\n|[\r\n\u2028\u2029]/);

export function lineOf(font: TextFont, text: string, all: string = text): Line {
  const glyphs = font.glyphs(visualOrder(text.replaceAll("\t", " ")), all);
  return { glyphs, width: widthOf(glyphs) };
}

/** Returns the font size at which a line fills the area. */
export function sizeOfLine({ width }: Pick<Line, "width">, area: Area): number {
  const fitting = Math.min(area.height / LINE_HEIGHT, width > 0 ? area.width / width : Number.POSITIVE_INFINITY);
  return Math.max(MIN_SIZE, fitting);
}

/** Breaks text into lines that fit the width of the area. Stops after the first line below the area. */
export function wrapText(font: TextFont, text: string, size: number, area: Area): Line[] {
  const most = Math.ceil(area.height / (size * LINE_HEIGHT)) + 1;
  const lines: Line[] = [];
  for (const paragraph of paragraphsOf(text)) {
    for (const line of linesOf(font, paragraph, area.width / size)) {
      if (lines.length >= most) return lines;
      lines.push(lineOf(font, line, text));
    }
  }
  return lines;
}

/** Returns the largest font size, up to 12, at which the whole text fits the area. */
export function sizeOfParagraphs(font: TextFont, text: string, area: Area): number {
  for (let size = MAX_PARAGRAPH_SIZE; size > MIN_SIZE; size -= 0.5) {
    if (wrapText(font, text, size, area).length * size * LINE_HEIGHT <= area.height) return size;
  }
  return MIN_SIZE;
}

function* linesOf(font: TextFont, paragraph: string, width: number): Generator<string> {
  const characters = [...paragraph];
  let start = 0;
  /** Index after the last character where the line can break. */
  let end = 0;
  let used = 0;
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    const advance = font.advance(character, paragraph);
    if (used + advance > width && character !== " " && at > start) {
      const next = end > start ? end : at;
      yield characters.slice(start, next).join("").trimEnd();
      start = next;
      used = widthOf(font.glyphs(characters.slice(start, at), paragraph));
    }
    used += advance;
    if (character === " " || BREAKING.test(character)) end = at + 1;
  }
  yield characters.slice(start).join("");
}

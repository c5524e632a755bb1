// Shows the texts of one field. Two classes implement it: with the fonts of the form, and with fonts for every script.
import type { Dictionary } from "../../objects/values.ts";

export interface FieldText {
  /** False if the text has characters that no font contains. */
  readonly isComplete: boolean;
  /** Returns a text as one line. */
  line(text: string): Line;
  /** Breaks a text into lines that fit the width of the area. Stops after the first line below the area. */
  wrap(text: string, size: number, area: Area): readonly Line[];
  /** Returns the characters of a text as lines of their own, from left to right. */
  cells(text: string): readonly Line[];
  /** Returns the fonts of everything shown so far, by resource name. */
  resources(): Dictionary;
}

/** Lengths are at font size 1. */
export interface Line {
  readonly width: number;
  /** Height above the baseline. */
  readonly ascent: number;
  /** Depth below the baseline. */
  readonly descent: number;
  /** Returns operators that show the line with its baseline starting at a point. */
  show(size: number, x: number, y: number): string;
}

/** Heights of a line, from the bounding box of Helvetica. */
export const HEIGHTS = { ascent: 0.931, descent: 0.225 } as const;

export interface Area {
  readonly width: number;
  readonly height: number;
}

const MIN_SIZE = 4;
const MAX_PARAGRAPH_SIZE = 12;

export const heightOf = ({ ascent, descent }: Omit<Line, "show" | "width">): number => ascent + descent;

/** Returns the baseline of a line whose middle is at a height. */
export const baselineAt = (middle: number, { ascent, descent }: Line, size: number): number =>
  middle - ((ascent - descent) / 2) * size;

export const paragraphsOf = (text: string): string[] => text.split(/\r\n|[\r\n\u2028\u2029]/);

/** Returns the font size at which a line fills the area. */
export function sizeOfLine(line: Omit<Line, "show">, area: Area): number {
  const { width } = line;
  const fitting = Math.min(area.height / heightOf(line), width > 0 ? area.width / width : Number.POSITIVE_INFINITY);
  return Math.max(MIN_SIZE, fitting);
}

/** Returns the largest font size, up to 12, at which the whole text fits the area. */
export function sizeOfParagraphs(shown: FieldText, text: string, area: Area): number {
  for (let size = MAX_PARAGRAPH_SIZE; size > MIN_SIZE; size -= 0.5) {
    const height = shown.wrap(text, size, area).reduce((sum, line) => sum + heightOf(line), 0);
    if (height * size <= area.height) return size;
  }
  return MIN_SIZE;
}

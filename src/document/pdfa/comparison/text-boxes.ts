// Finds the areas of text on a page, which the comparison checks more closely, or ignores.
import type { Character, TextLine } from "../../engines/mupdf/text.ts";

/** A rectangle in points from the top left corner: left, top, right, bottom. */
export type Box = readonly [left: number, top: number, right: number, bottom: number];

/** Symbol fonts that the repair embeds, but for which MuPDF draws letters in the original. */
const DRAWN_AS_LETTERS = /^(?:[A-Z]{6}\+)?(?:wingdings|webdings)/i;
/** Maximum number of boxes per page. */
const MAX_BOXES = 5_000;

/** An area of a page with text in one font. */
export interface TextBox {
  readonly fontName: string;
  readonly box: Box;
}

/** Returns the boxes of text lines: one box for each font in a line. */
export const boxesOfText = (lines: readonly TextLine[]): TextBox[] =>
  lines.slice(0, MAX_BOXES).flatMap(({ characters }) =>
    [...Map.groupBy(characters, ({ fontName }) => fontName)].map(([fontName, some]) => ({
      fontName,
      box: rounded(enclosing(some.map(boxOf))),
    })),
  );

/** Returns the boxes of characters in symbol fonts that MuPDF does not have. */
export const boxesOfUnseen = (lines: readonly TextLine[]): Box[] =>
  lines
    .flatMap(({ characters }) => characters.filter(({ fontName }) => DRAWN_AS_LETTERS.test(fontName)))
    .slice(0, MAX_BOXES)
    .map((character) => rounded(boxOf(character)));

/** Returns a box that contains a glyph, whatever the direction of its text. */
const boxOf = ({ x, y, size }: Character): Box => [x - size, y - size, x + size, y + size];

function enclosing(boxes: readonly Box[]): Box {
  let [left, top, right, bottom] = boxes[0] ?? [0, 0, 0, 0];
  for (const box of boxes) {
    left = Math.min(left, box[0]);
    top = Math.min(top, box[1]);
    right = Math.max(right, box[2]);
    bottom = Math.max(bottom, box[3]);
  }
  return [left, top, right, bottom];
}

const rounded = ([left, top, right, bottom]: Box): Box => [
  Math.floor(left),
  Math.floor(top),
  Math.ceil(right),
  Math.ceil(bottom),
];

// Makes pages of text for tests of their layout: each character is half its font size wide.
import type { PageShape, PageText, TextLine, Word } from "../../src/document/layout/lines/page-text.ts";

export interface PlacedText {
  readonly text: string;
  readonly x: number;
  /** Distance of the baseline from the upper edge. */
  readonly y: number;
  readonly size?: number;
  readonly isBold?: boolean;
  readonly isMonospaced?: boolean;
}

const HEIGHT = 800;
const WIDTH = 600;

export const pageOf = (texts: readonly PlacedText[], shapes: readonly PageShape[] = [], number = 1): PageText => ({
  ...{ number, width: WIDTH, height: HEIGHT, shapes, links: [] },
  lines: texts.map(lineOf),
});

function lineOf({ text, x, y, size = 10, isBold = false, isMonospaced = false }: PlacedText): TextLine {
  const baseline = HEIGHT - y;
  const style = { fontName: "Test", isBold, isItalic: false, isMonospaced, argb: 0xff000000 };
  const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }): Word => {
    const [left, right] = [x + (index * size) / 2, x + ((index + word.length) * size) / 2];
    const [bottom, top] = [baseline - 0.2 * size, baseline + 0.8 * size];
    const corners = [left, top, right, top, left, bottom, right, bottom];
    return { text: word, corners, origin: [left, baseline], size, style, isJoined: false };
  });
  return { words, direction: [1, 0] };
}

/** Returns a thin filled path, by its places from the left and from the upper edge. */
export const rule = (left: number, top: number, right: number, bottom: number): PageShape => ({
  ...{ kind: "path", argb: 0xff000000, isStroked: false },
  box: [left - 0.25, HEIGHT - bottom - 0.25, right + 0.25, HEIGHT - top + 0.25],
});

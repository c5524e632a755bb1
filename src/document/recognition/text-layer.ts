// Writes recognized text as invisible text at the places of the words on the page, so that viewers find, select and copy
// it.
import { apply, type Matrix } from "../content/matrix.ts";
import { serializeNumber } from "../objects/serialize.ts";
import type { InvisibleFont } from "../pdfa/content/text/invisible-text.ts";
import type { RecognizedLine, RecognizedWord } from "./hocr.ts";

export interface LayerFont {
  readonly font: InvisibleFont;
  /** Resource name of the font. */
  readonly name: string;
}

/** Advance of all characters of the font, in units of the font size. */
const ADVANCE = 0.5;
/** Part of the font size below the baseline. */
const DESCENT = 0.2;
/** Font size of usual fonts, in heights of their letters from descender to ascender. */
const FONT_SIZE = 1.2;
/** Cosine of the angle, 5 degrees, up to which a word is set horizontally or vertically. */
const NEARLY_ALIGNED = 0.996;
/** Maximum difference of height between the ends of a line, in heights of its letters. */
const MAX_DRIFT = 0.45;
const MAX_STRETCH = 30_000;

/**
 * Returns a marked text object.
 * @param toPage maps pixels of the picture to points of the displayed page, from its lower left corner
 */
export function invisibleLayer(lines: readonly RecognizedLine[], toPage: Matrix, layer: LayerFont): string {
  const parts = ["/Artifact BMC BT 3 Tr"];
  for (const line of leveled(lines, toPage)) parts.push(...lineParts(line, toPage, layer));
  return `${parts.join("\n")}\nET EMC\n`;
}

/**
 * Returns lines that are less inclined on the page, and as far apart as before. If a line rises or falls by more than a
 * part of its height, viewers mix it with its neighbors: poppler compares the heights of words, and pdfium those of the
 * end of a line and the start of the next one.
 */
function leveled(lines: readonly RecognizedLine[], toPage: Matrix): readonly RecognizedLine[] {
  const [longest] = lines.toSorted((one, other) => lengthOf(other) - lengthOf(one));
  if (!longest) return lines;
  const degrees = (Math.atan2(toPage[1], toPage[0]) * 180) / Math.PI;
  const skew = Math.tan(((90 * Math.round(degrees / 90) - degrees) * Math.PI) / 180);
  const excess = Math.abs(skew) - (MAX_DRIFT * longest.size) / lengthOf(longest);
  if (excess <= 0) return lines;
  const shear = -Math.sign(skew) * excess;
  const middle = [0, 1].map((axis) => mean(lines.flatMap(({ words }) => words.map(({ box }) => box[axis]!))));
  return lines.map((line) => {
    if (!line.isVertical) return { ...line, slope: line.slope + shear, baseline: line.baseline - shear * middle[0]! };
    const words = line.words.map((word) => {
      const shift = shear * (middle[1]! - word.box[1]);
      const [left, top, right, bottom] = word.box;
      return { ...word, box: [left + shift, top, right + shift, bottom] as const };
    });
    return { ...line, words };
  });
}

function lengthOf({ words, isVertical }: RecognizedLine): number {
  const axis = isVertical ? 1 : 0;
  return Math.max(1, words.at(-1)!.box[axis + 2]! - words[0]!.box[axis]!);
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function* lineParts(line: RecognizedLine, toPage: Matrix, { font, name }: LayerFont): Generator<string> {
  const scale = Math.sqrt(Math.abs(toPage[0] * toPage[3] - toPage[1] * toPage[2]));
  const height = (line.isVertical ? 1 : FONT_SIZE) * line.size * scale;
  const size = Math.max(0.1, Math.round(height * 10) / 10);
  yield `/${name} ${serializeNumber(size)} Tf`;
  const axis = line.isVertical ? 1 : 0;
  const encode = (text: string) => [...text].map((one) => hex(font.codeOf(one.codePointAt(0)!))).join("");
  for (const [index, { text, box, isJoined }] of line.words.entries()) {
    const next = line.words[index + 1];
    const start = startOf(line, box);
    const end = box[axis + 2]!;
    const nextStart = next && next.box[axis]! > end ? next.box[axis]! : undefined;
    const length = (isJoined ? (nextStart ?? end) : end) - box[axis]!;
    yield `${placeOf(line, start, toPage)} Tm ${stretched(encode(text), length * scale, size)}`;
    if (!next || isJoined) continue;
    // A space fills the gap, or has almost no width if there is none.
    yield stretched(encode(" "), Math.max(0.01, ((nextStart ?? end) - end) * scale), size);
  }
}

/** Returns the start of a word on the baseline, in pixels. */
function startOf({ slope, baseline, isVertical, size }: RecognizedLine, box: RecognizedWord["box"]) {
  const [left, top] = box;
  return isVertical ? ([left + DESCENT * size, top] as const) : ([left, baseline + slope * left] as const);
}

/** Returns the text matrix of a word. Vertical text is text that is turned clockwise. */
function placeOf({ slope, isVertical }: RecognizedLine, [x, y]: readonly [number, number], toPage: Matrix): string {
  const [left, bottom] = apply(toPage, x, y);
  const ahead = isVertical ? apply(toPage, x, y + 1) : apply(toPage, x + 1, y + slope);
  const [dx, dy] = [ahead[0] - left, ahead[1] - bottom];
  const length = Math.hypot(dx, dy) || 1;
  const sides = [dx / length, dy / length] as const;
  // Poppler splits words whose baseline is slightly inclined.
  const digits = sides.some((side) => Math.abs(side) > NEARLY_ALIGNED) ? 1 : 1e4;
  const [cos, sin] = sides.map((side) => Math.round(side * digits) / digits) as [number, number];
  return [cos, sin, -sin, cos, round(left), round(bottom)].map(serializeNumber).join(" ");
}

/** Returns a text that is stretched to a width in points. */
function stretched(codes: string, width: number, size: number): string {
  const natural = (codes.length / 4) * ADVANCE * size;
  const percent = Math.min(MAX_STRETCH, Math.max(0.1, (100 * width) / natural));
  return `${serializeNumber(Math.round(percent * 10) / 10)} Tz <${codes}> Tj`;
}

const round = (value: number) => Math.round(value * 100) / 100;
const hex = (code: number | undefined) => (code ?? REPLACEMENT).toString(16).padStart(4, "0");
const REPLACEMENT = 0xfffd;

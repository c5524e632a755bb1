// Measures blocks as word processors arrange them: distances of lines, indents, alignment.
import type { ParagraphLook } from "../../formats/docx/looks.ts";
import { type Block, isTextBlock, type Line, type PlacedWord, type TextBlock } from "../../layout/lines/blocks.ts";

/** The sides of a column in points from the left edge of the page. */
export interface Column {
  readonly left: number;
  readonly right: number;
}

/** Parts of the distance of lines above and below the baseline. */
const ABOVE = 0.8;
const BELOW = 0.2;
/** Distance of lines if none is known, in font sizes. */
const USUAL_PITCH = 1.17;
/** Distances that count as none: of edges in points, and of a line from the middle. */
const SAME = 1.5;
const SAME_MIDDLE = 3;
/** Width of a space in font sizes. */
const SPACE = 0.25;

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;

export const isRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text);

/** Returns the height of the baseline of a line. */
function baselineOf({ words }: Line): number {
  const main = words.find(({ position }) => position === undefined) ?? words[0]!;
  return main.origin[1];
}

/** Returns the lines of a block up to the first one that is above the one before, in another column. */
export function partsOf({ lines }: TextBlock): readonly (readonly Line[])[] {
  const parts: Line[][] = [];
  for (const line of lines) {
    const last = parts.at(-1)?.at(-1);
    if (last && line.box[1] < last.box[3]) parts.at(-1)!.push(line);
    else parts.push([line]);
  }
  return parts;
}

/** The distances of lines by font size, as far as they are known. */
export class Pitches {
  readonly #known = new Map<number, number>();

  /** Returns the distance of the lines of a block, and remembers it. */
  of(lines: readonly Line[], size: number): number {
    const baselines = lines.map(baselineOf);
    const distances = baselines
      .slice(1)
      .map((one, at) => baselines[at]! - one)
      .filter((one) => one > 0.7 * size)
      .sort((a, b) => a - b);
    const key = Math.round(size * 2);
    const usual = distances[distances.length >> 1];
    if (usual === undefined) return this.#known.get(key) ?? USUAL_PITCH * size;
    this.#known.set(key, usual);
    return usual;
  }
}

/** Returns the upper and lower edge of a block, with the lines as a word processor makes them. */
export function edgesOf(block: Block, pitches: Pitches): { readonly top: number; readonly bottom: number } {
  if (!isTextBlock(block)) return { top: block.box[3], bottom: block.box[1] };
  const parts = partsOf(block);
  const pitch = pitches.of(parts[0]!, block.size);
  const [first, last] = [baselineOf(parts[0]![0]!), baselineOf(parts.at(-1)!.at(-1)!)];
  return { top: first + ABOVE * pitch, bottom: last - BELOW * pitch };
}

/** A line along its reading direction: places are negative if it runs to the left. */
interface Reach {
  readonly start: number;
  readonly end: number;
  readonly words: readonly PlacedWord[];
}

const widthOf = ({ corners }: PlacedWord): number =>
  Math.max(corners[0]!, corners[2]!) - Math.min(corners[0]!, corners[2]!);

export function isLeftward(lines: readonly Line[]): boolean {
  let balance = 0;
  for (const { words } of lines)
    for (const { text } of words) balance += isRightToLeft(text) ? text.length : /\p{L}/u.test(text) ? -text.length : 0;
  return balance > 0;
}

type Arrangement = Pick<ParagraphLook, "align" | "start" | "end" | "first" | "isRightToLeft">;

/**
 * Returns the alignment and the indents of lines in a column.
 * @param markerWords number of words at the start that are a marker
 */
export function arrangementOf(
  lines: readonly Line[],
  { left, right }: Column,
  { size, markerWords }: { readonly size: number; readonly markerWords: number },
): Arrangement {
  const leftward = isLeftward(lines);
  const [from, to] = leftward ? [-right, -left] : [left, right];
  const reaches = lines.map(({ box, words }): Reach => {
    const [start, end] = leftward ? [-box[2], -box[0]] : [box[0], box[2]];
    return { start, end, words };
  });
  const direction = leftward ? { isRightToLeft: true } : {};
  const align = markerWords > 0 ? startOrBoth(reaches, to) : alignOf(reaches, [from, to], size);
  if (align === "center") return { ...direction, align, ...centerIndents(reaches, [from, to]) };
  if (align === "end") {
    const most = Math.max(...reaches.map(({ end }) => end));
    return { ...direction, align, start: 0, end: small(to - most), first: 0 };
  }
  const first = reaches[0]!;
  const text = markerWords > 0 ? textStart(first, markerWords, leftward) : first.start;
  const start = Math.min(...(reaches.length > 1 ? reaches.slice(1) : [{ start: text }]).map((one) => one.start));
  const end = endIndent(reaches, to, align, size);
  return { ...direction, align, start: small(start - from), end, first: small(first.start - start) };
}

const small = (points: number): number => (Math.abs(points) < SAME ? 0 : points);

function textStart({ start, words }: Reach, markerWords: number, leftward: boolean): number {
  const word = words[markerWords];
  if (!word) return start;
  const { corners } = word;
  return leftward ? -Math.max(corners[0]!, corners[2]!) : Math.min(corners[0]!, corners[2]!);
}

const spread = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);

function startOrBoth(reaches: readonly Reach[], to: number): "start" | "both" {
  const full = reaches.slice(0, -1).map(({ end }) => end);
  const isEven = full.length > 1 ? spread(full) < SAME : full.length === 1 && Math.abs(full[0]! - to) < SAME;
  return isEven ? "both" : "start";
}

function alignOf(reaches: readonly Reach[], [from, to]: readonly [number, number], size: number) {
  const middles = reaches.map(({ start, end }) => (start + end) / 2);
  const [starts, ends] = [reaches.map(({ start }) => start), reaches.map(({ end }) => end)];
  const isInside = Math.min(...starts) > from + size;
  if (reaches.length === 1) {
    const isMiddle = Math.abs(middles[0]! - (from + to) / 2) < SAME_MIDDLE;
    if (isInside && isMiddle) return "center";
    return to - ends[0]! < SAME && starts[0]! - from > (to - from) * 0.2 ? "end" : "start";
  }
  const isRagged = spread(starts) > SAME && spread(ends) > SAME;
  if (isRagged && spread(middles) < SAME_MIDDLE && spread(starts) > size / 2) return "center";
  if (spread(ends) < SAME && spread(starts.slice(1)) > size && starts[0]! - from > size) return "end";
  return startOrBoth(reaches, to);
}

function centerIndents(reaches: readonly Reach[], [from, to]: readonly [number, number]) {
  const [start, end] = [Math.min(...reaches.map((one) => one.start)), Math.max(...reaches.map((one) => one.end))];
  const shift = (start - from - (to - end)) / 2;
  const moved = Math.abs(shift) < SAME_MIDDLE ? 0 : shift * 2;
  return { start: Math.max(0, moved), end: Math.max(0, -moved), first: 0 };
}

/** Returns the indent from the end that makes lines end where they do: before the first word of the next line. */
function endIndent(reaches: readonly Reach[], to: number, align: "start" | "both", size: number): number {
  if (reaches.length < 2) return reaches[0]!.end > to ? small(to - reaches[0]!.end) : 0;
  const most = Math.max(...reaches.map(({ end }) => end));
  if (align === "both") return small(to - most);
  let limit = to;
  for (const [at, { words }] of reaches.slice(1).entries()) {
    const fit = reaches[at]!.end + SPACE * size + widthOf(words[0]!);
    if (fit > most) limit = Math.min(limit, fit - SPACE);
  }
  return small(to - Math.max(most, limit));
}

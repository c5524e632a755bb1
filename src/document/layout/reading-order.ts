// The order in which people read parts of a page: down each column, and columns from left to right.
import { Intervals } from "./lines/intervals.ts";
import { around, type Extent } from "./lines/segments.ts";

/** A part of a page that is not divided. */
export interface Atom extends Extent {
  /** Font size; the height of a line of its text. */
  readonly size: number;
  /** Number of its characters; 0 for a figure. */
  readonly characters: number;
  /** True for a number or a date, which running text is not made of. */
  readonly isValue: boolean;
}

/** Minimum width of the space between columns, and of the part of it that no overhanging text takes, in font sizes. */
const GUTTER = 0.75;
const FREE = 0.5;
/** Part of the height that can reach into that space: words that are too long for their column. */
const OVERHANGING = 0.03;
/** Part of the height that a page number in that space can take. */
const NUMBER = 0.015;
/** Minimum height of each column, in lines. */
const MIN_LINES = 3;
/** Part of the height that can cross the space between columns: titles, and figures over both. */
const MAX_CROSSING = 0.5;
/** Part of the width of a long line that most lines of running text fill, and their characters. */
const FILLED = 0.6;
const LONG = 15;
/** Part of the rows of a column that are numbers and dates in a table. */
const VALUES = 0.6;
/** Distance of baselines in one row, in font sizes. */
const SAME_ROW = 0.3;
/** Part of the parts of a column that are beside others in a table. */
const ALIGNED = 0.6;
/** Minimum distance of parts of the page that are ordered on their own, in font sizes. */
const APART = 0.6;
/** Width of the cells in which columns are found, in points, and their maximum number. */
const CELL = 0.25;
const MAX_CELLS = 4000;
const MAX_DEPTH = 24;

/**
 * Returns the atoms in groups, each of which is part of one column.
 * @param isRightToLeft true if columns go from right to left
 * @param rules horizontal lines: columns that one crosses twice belong to a table
 */
export function readingOrder<A extends Atom>(
  atoms: readonly A[],
  { isRightToLeft, rules }: { readonly isRightToLeft: boolean; readonly rules: readonly Extent[] },
): A[][] {
  const groups: A[][] = [];
  const visit = (part: readonly A[], depth: number): void => {
    if (part.length === 0) return;
    const gutter = depth < MAX_DEPTH ? findGutter(part, rules) : undefined;
    if (gutter !== undefined) {
      for (const band of bandsOf(part, gutter)) {
        if (band.crossing) groups.push([...band.crossing]);
        else
          for (const side of isRightToLeft ? [band.right, band.left] : [band.left, band.right]) visit(side!, depth + 1);
      }
      return;
    }
    const halves = depth < MAX_DEPTH ? splitBetweenRows(part) : undefined;
    if (!halves) groups.push([...part]);
    else for (const half of halves) visit(half, depth + 1);
  };
  visit(atoms, 0);
  return joinedGroups(groups);
}

/** Joins groups that follow each other in one column, so that spacing can be compared within them. */
function joinedGroups<A extends Atom>(groups: readonly A[][]): A[][] {
  const joined: A[][] = [];
  let last: Extent | undefined;
  for (const group of groups) {
    const extent = around(group);
    const overlap = last ? Math.min(last.right, extent.right) - Math.max(last.left, extent.left) : 0;
    const isBelow = last !== undefined && extent.top >= last.bottom - group[0]!.size;
    const narrower = last ? Math.min(last.right - last.left, extent.right - extent.left) : 0;
    if (last && isBelow && overlap > 0.9 * narrower && narrower > 0) {
      for (const atom of group) joined.at(-1)!.push(atom);
      last = around([last, extent]);
    } else {
      joined.push(group);
      last = extent;
    }
  }
  return joined;
}

/** Returns the middle of the space between two columns. @returns undefined if the atoms are one column */
function findGutter(atoms: readonly Atom[], rules: readonly Extent[]): number | undefined {
  if (atoms.length < 2 * MIN_LINES) return undefined;
  const { left, right } = around(atoms);
  const size = medianOf(atoms.map((atom) => atom.size));
  let best: { readonly at: number; readonly crossing: number } | undefined;
  for (const at of candidates(atoms, left, right, size)) {
    const crossing = crossingHeight(atoms, at);
    if (best && crossing >= best.crossing) continue;
    if (areColumns(atoms, at, rules)) best = { at, crossing };
  }
  return best?.at;
}

/** Returns the middles of spaces that are at least as wide as a gutter, with few atoms across them. */
function candidates(atoms: readonly Atom[], left: number, right: number, size: number): number[] {
  const cells = Math.min(MAX_CELLS, Math.max(1, Math.ceil((right - left) / CELL)));
  const step = (right - left) / cells;
  const changes = new Float64Array(cells + 2);
  let total = 0;
  for (const atom of atoms) {
    const height = atom.bottom - atom.top;
    total += height;
    changes[Math.max(0, Math.floor((atom.left - left) / step))]! += height;
    changes[Math.min(cells, Math.ceil((atom.right - left) / step))]! -= height;
  }
  // The height across each cell; a space is a run of cells with the least height around it.
  const heights: number[] = [];
  for (let cell = 0; cell < cells; cell++) heights.push((heights[cell - 1] ?? 0) + changes[cell]!);
  const found: number[] = [];
  for (let start = 0, end = 0; start < cells; start = end) {
    for (end = start + 1; end < cells && Math.abs(heights[end]! - heights[start]!) < 1e-6; ) end++;
    const isLow = heights[start]! <= total * MAX_CROSSING;
    const isValley = (heights[start - 1] ?? 0) > heights[start]! && (heights[end] ?? 0) > heights[start]!;
    if (!isLow || !isValley) continue;
    const widthWith = (more: number) => widthAround(heights, [start, end], heights[start]! + total * more) * step;
    if (widthWith(NUMBER) >= FREE * size && widthWith(OVERHANGING) >= GUTTER * size)
      found.push(left + ((start + end) / 2) * step);
  }
  return found;
}

/** Returns the number of cells around a space whose heights have a limit. */
function widthAround(heights: readonly number[], [start, end]: readonly [number, number], limit: number): number {
  let [from, to] = [start, end];
  while (from > 0 && heights[from - 1]! <= limit) from--;
  while (to < heights.length && heights[to]! <= limit) to++;
  return to - from;
}

const crosses = ({ left, right }: Extent, at: number): boolean => left < at && right > at;

const crossingHeight = (atoms: readonly Atom[], at: number): number =>
  atoms.reduce((sum, atom) => sum + (crosses(atom, at) ? atom.bottom - atom.top : 0), 0);

/** Reports whether the atoms on the two sides of a space are columns of running text, not cells of a table. */
function areColumns(atoms: readonly Atom[], at: number, rules: readonly Extent[]): boolean {
  const sides = [atoms.filter(({ right }) => right <= at), atoms.filter(({ left }) => left >= at)] as const;
  const [one, other] = [around(sides[0]), around(sides[1])];
  const [top, bottom] = [Math.max(one.top, other.top), Math.min(one.bottom, other.bottom)];
  for (const side of sides) {
    const within = side.filter((atom) => atom.bottom > top && atom.top < bottom);
    const height = within.reduce((sum, atom) => sum + atom.bottom - atom.top, 0);
    if (height < MIN_LINES * medianOf(side.map(({ size }) => size))) return false;
  }
  if (sides.some(areValues)) return false;
  const across = rules.filter((rule) => crosses(rule, at) && rule.top > top - 9 && rule.bottom < bottom + 9);
  if (across.length >= 2) return false;
  return sides.every(isRunningText) || !areAligned(sides[0], sides[1]);
}

/** Reports whether most rows of a column are numbers and dates. Running text above or below a table is no value. */
function areValues(atoms: readonly Atom[]): boolean {
  let [rows, others, bottom, isOther] = [0, 0, Number.NEGATIVE_INFINITY, false];
  for (const atom of atoms.toSorted((a, b) => a.bottom - b.bottom)) {
    if (atom.bottom - bottom > SAME_ROW * atom.size) [rows, bottom, isOther] = [rows + 1, atom.bottom, false];
    if (atom.isValue || isOther) continue;
    [others, isOther] = [others + 1, true];
  }
  return rows - others > VALUES * rows;
}

function isRunningText(atoms: readonly Atom[]): boolean {
  const widths = atoms.map(({ left, right }) => right - left).sort((a, b) => a - b);
  const long = widths[Math.floor(widths.length * 0.9)] ?? 0;
  return medianOf(widths) > FILLED * long && medianOf(atoms.map(({ characters }) => characters)) >= LONG;
}

/** Reports whether most atoms of the smaller side are beside one on the same baseline, or in the middle of two lines. */
function areAligned(one: readonly Atom[], other: readonly Atom[]): boolean {
  const [fewer, more] = one.length < other.length ? [one, other] : [other, one];
  const lines = new Intervals<Atom>();
  for (const atom of more) lines.add(atom.bottom - SAME_ROW * atom.size, atom.bottom + SAME_ROW * atom.size, atom);
  const isBeside = (atom: Atom) =>
    lines
      .near(atom.bottom)
      .some((list) => list.some(({ bottom, size }) => Math.abs(bottom - atom.bottom) < SAME_ROW * size));
  if (fewer.filter(isBeside).length > fewer.length * ALIGNED) return true;
  const middles = middlesOf(more);
  const isInMiddle = ({ top, bottom, size }: Atom) => {
    const middle = (top + bottom) / 2;
    const near = middles.near(middle - 0.1 * size, middle + 0.1 * size);
    return near.some((list) => list.some((one) => Math.abs(one - middle) < 0.1 * size));
  };
  return fewer.filter(isInMiddle).length > fewer.length * ALIGNED;
}

/** Returns the places in the middle of two neighboring lines. */
function middlesOf(atoms: readonly Atom[]): Intervals<number> {
  const middles = new Intervals<number>();
  const lines = atoms.toSorted((a, b) => a.top - b.top);
  for (const [at, { top, bottom, size }] of lines.entries()) {
    const before = lines[at - 1];
    if (!before || top - before.bottom >= APART * size) continue;
    const middle = (before.top + bottom) / 2;
    middles.add(middle, middle, middle);
  }
  return middles;
}

interface Band<A> {
  readonly crossing?: readonly A[];
  readonly left?: readonly A[];
  readonly right?: readonly A[];
}

/** Divides atoms at those that cross a gutter, from top to bottom. */
function bandsOf<A extends Atom>(atoms: readonly A[], gutter: number): readonly Band<A>[] {
  const crossing = atoms.filter((atom) => crosses(atom, gutter)).sort((a, b) => a.top - b.top);
  const beside = besideOf(atoms, gutter, crossing);
  const bands: Band<A>[] = [];
  let together: A[] = [];
  const flush = () => {
    if (together.length > 0) bands.push({ crossing: together });
    together = [];
  };
  const addSides = (above: readonly A[]) => {
    if (above.length === 0) return;
    flush();
    bands.push({
      left: above.filter(({ right }) => right <= gutter),
      right: above.filter(({ left }) => left >= gutter),
    });
  };
  for (const [index, one] of crossing.entries()) {
    addSides(beside[index]!);
    together.push(one);
  }
  addSides(beside[crossing.length]!);
  flush();
  return bands;
}

/** Returns the atoms beside a gutter: those above each of the atoms that cross it, and those below all of them. */
function besideOf<A extends Atom>(atoms: readonly A[], gutter: number, crossing: readonly A[]): readonly A[][] {
  const beside = Array.from({ length: crossing.length + 1 }, (): A[] => []);
  const lowest: number[] = [];
  for (const one of crossing) lowest.push(Math.max(lowest.at(-1) ?? Number.NEGATIVE_INFINITY, middleOf(one)));
  for (const atom of atoms) {
    if (crosses(atom, gutter)) continue;
    const middle = middleOf(atom);
    let [from, to] = [0, lowest.length];
    while (from < to) {
      const at = (from + to) >> 1;
      if (lowest[at]! > middle) to = at;
      else from = at + 1;
    }
    beside[from]!.push(atom);
  }
  return beside;
}

const middleOf = ({ top, bottom }: Extent): number => (top + bottom) / 2;

/** Divides atoms at the widest space between rows. */
function splitBetweenRows<A extends Atom>(atoms: readonly A[]): readonly [A[], A[]] | undefined {
  const sorted = atoms.toSorted((a, b) => a.top - b.top);
  let [widest, at, bottom] = [APART, 0, Number.NEGATIVE_INFINITY];
  for (const [index, atom] of sorted.entries()) {
    const gap = (atom.top - bottom) / atom.size;
    if (index > 0 && gap > widest) [widest, at] = [gap, index];
    bottom = Math.max(bottom, atom.bottom);
  }
  return at > 0 ? [sorted.slice(0, at), sorted.slice(at)] : undefined;
}

function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

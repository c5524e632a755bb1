// Divides the blocks of a page into regions: parts of its height with one column, or with several.
import { type Block, isTextBlock } from "../layout/lines/blocks.ts";
import { boxOfWords } from "../layout/lines/segments.ts";
import { type Column, partsOf } from "./text/measures.ts";

export interface Region {
  /** The columns in reading order. A single column can be narrower than its region. */
  readonly columns: readonly Column[];
  readonly items: readonly RegionItem[];
}

export interface RegionItem {
  readonly block: Block;
  /** Index of its column. */
  readonly column: number;
}

/** A block, or the part of one that is in one column. */
interface Part {
  readonly block: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly lineCount: number;
}

/** Minimum number of lines of the longest column beside another. */
const MIN_LINES = 3;
/** Minimum width of a column, in points. Markers of items are narrower. */
const MIN_WIDTH = 36;
/** Overlap of columns in points that does not count. */
const OVERLAP = 2;

/** @param blocks in reading order, without running text and footnotes */
export function regionsOf(blocks: readonly Block[]): readonly Region[] {
  const parts = blocks.flatMap(partsIn);
  const regions: Region[] = [];
  let [single, at]: [Part[], number] = [[], 0];
  const flush = () => {
    if (single.length > 0) regions.push(regionOf(blocks, [single]));
    single = [];
  };
  while (at < parts.length) {
    const found = columnsFrom(parts, at);
    if (!found) {
      single.push(parts[at++]!);
      continue;
    }
    flush();
    regions.push(regionOf(blocks, found));
    at += found.reduce((sum, { length }) => sum + length, 0);
  }
  flush();
  return joined(regions);
}

function partsIn(block: Block, index: number): readonly Part[] {
  const boxes = isTextBlock(block)
    ? partsOf(block).map((lines) => [boxOfWords(lines.flatMap(({ words }) => words)), lines.length] as const)
    : [[block.box, block.kind === "table" ? block.rows.length : MIN_LINES] as const];
  return boxes.map(([[left, bottom, right, top], lineCount]) => ({
    block: index,
    left,
    bottom,
    right,
    top,
    lineCount,
  }));
}

/** Returns the columns that start with a part, each with its parts. @returns undefined if it is not beside others */
function columnsFrom(parts: readonly Part[], start: number): readonly (readonly Part[])[] | undefined {
  const columns: Part[][] = [];
  let at = start;
  for (;;) {
    const column: Part[] = [];
    const limit = columns.length > 0 ? Math.max(...columns.at(-1)!.map(({ right }) => right)) - OVERLAP : -Infinity;
    let lowest = Infinity;
    while (at < parts.length) {
      const part = parts[at]!;
      if (part.left < limit || part.top > lowest + OVERLAP + (part.top - part.bottom) / 2) break;
      column.push(part);
      lowest = Math.min(lowest, part.bottom);
      at++;
    }
    if (column.length === 0) break;
    columns.push(column);
    const next = parts[at];
    if (!next || next.left < Math.max(...column.map(({ right }) => right)) - OVERLAP || next.top <= lowest) break;
  }
  const trimmed = withoutAbove(columns);
  if (trimmed === undefined) return undefined;
  const isWide = trimmed.every((column) => Math.max(...column.map(({ left, right }) => right - left)) > MIN_WIDTH);
  return trimmed.length > 1 && isWide && trimmed.some((column) => lineCountOf(column) >= MIN_LINES)
    ? trimmed
    : undefined;
}

const lineCountOf = (column: readonly Part[]): number => column.reduce((sum, { lineCount }) => sum + lineCount, 0);

/** @returns undefined if the first part of the first column is above the columns beside it */
function withoutAbove(columns: readonly (readonly Part[])[]): readonly (readonly Part[])[] | undefined {
  const [first, ...others] = columns;
  if (!first || others.length === 0) return undefined;
  const top = Math.max(...others.flat().map((part) => part.top));
  return first[0]!.bottom >= top ? undefined : columns;
}

function regionOf(blocks: readonly Block[], columns: readonly (readonly Part[])[]): Region {
  const places = new Map<number, { column: number; lineCount: number }>();
  for (const [column, parts] of columns.entries()) {
    for (const { block, lineCount } of parts) {
      const known = places.get(block);
      if (!known) places.set(block, { column, lineCount });
    }
  }
  return {
    columns: columns.map((parts) => ({
      left: Math.min(...parts.map(({ left }) => left)),
      right: Math.max(...parts.map(({ right }) => right)),
    })),
    items: Array.from(places, ([index, { column }]) => ({ block: blocks[index]!, column })),
  };
}

/** Joins neighbors with the same columns, and drops what only continues a block of the region before. */
function joined(regions: readonly Region[]): readonly Region[] {
  const all: Region[] = [];
  const seen = new Set<Block>();
  for (const { columns, items } of regions) {
    const own = items.filter(({ block }) => !seen.has(block));
    for (const { block } of own) seen.add(block);
    if (own.length > 0) all.push({ columns, items: own });
  }
  return all;
}

// A page with what decides its place in a document: its regions, its edges, and the text at its edges.
import { type Block, isTextBlock, type PageLayout, type TextBlock } from "../layout/lines/blocks.ts";
import { type Region, type RegionItem, regionsOf } from "./regions.ts";
import { type Column, edgesOf, type Pitches } from "./text/measures.ts";
import type { PageDrawing } from "./text/page-drawing.ts";

export interface WordPage {
  readonly layout: PageLayout;
  readonly drawing: PageDrawing;
  readonly regions: readonly Region[];
  readonly running: readonly TextBlock[];
  readonly notes: readonly TextBlock[];
  /** The edges of its content. @default it has none */
  readonly extent?: Extent;
}

/** In points from the lower left corner. */
export interface Extent {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const isRunning = (block: Block): block is TextBlock => block.kind === "running";
const isNote = (block: Block): block is TextBlock => block.kind === "footnote";

export function wordPageOf(layout: PageLayout, drawing: PageDrawing, pitches: Pitches): WordPage {
  const content = drawing.isScan ? [] : layout.blocks.filter((block) => !isRunning(block) && !isNote(block));
  const notes = layout.blocks.filter(isNote);
  const regions = regionsOf(content);
  const placed = [...content, ...notes];
  const columns = regions.flatMap((region) => region.columns);
  const text = columns.length > 0 ? columns : notes.map(({ box }) => ({ left: box[0], right: box[2] }));
  const edges = placed.map((block) => edgesOf(block, pitches));
  const extent = {
    left: Math.min(...text.map(({ left }) => left)),
    right: Math.max(...text.map(({ right }) => right)),
    top: Math.max(...edges.map(({ top }) => top)),
    bottom: Math.min(...edges.map(({ bottom }) => bottom)),
  };
  const has = placed.length > 0 ? { extent } : {};
  return { layout, drawing, regions, running: layout.blocks.filter(isRunning), notes, ...has };
}

/** Differences in points of pages that count as none. */
const SAME_PAGE = 2;
const SAME_WIDTH = 4;

export const isSameSize = (one: PageLayout, other: PageLayout): boolean =>
  Math.abs(one.width - other.width) < SAME_PAGE && Math.abs(one.height - other.height) < SAME_PAGE;

/** Returns the edges of the text of pages of one size. */
export function bodyOf(pages: readonly WordPage[]): Extent {
  const [first] = pages as readonly [WordPage, ...WordPage[]];
  const { width, height } = first.layout;
  const extents = pages.flatMap(({ layout, extent }) => (extent && isSameSize(layout, first.layout) ? [extent] : []));
  if (extents.length === 0) {
    const margin = Math.min(72, width / 4, height / 4);
    return { left: margin, right: width - margin, top: height - margin, bottom: margin };
  }
  const sides = sidesOfLines(pages.filter(({ layout }) => isSameSize(layout, first.layout)));
  const inside = (value: number, most: number) => Math.max(0, Math.min(most, value));
  return {
    left: inside(sides.left, width - 36),
    right: inside(Math.max(sides.right, sides.left + 36), width),
    top: inside(Math.max(...extents.map(({ top }) => top)), height),
    bottom: inside(Math.min(...extents.map(({ bottom }) => bottom)), height),
  };
}

/** Part of the lines that can be further out, and the distance in points up to which others are. */
const OUTSIDE = 0.03;
const NEAR = 14;

/** Returns the sides of the lines of pages. Few lines, such as long ones of code, do not count. */
function sidesOfLines(pages: readonly WordPage[]): Column {
  const [lefts, rights]: [number[], number[]] = [[], []];
  for (const { regions } of pages) {
    for (const { block } of regions.flatMap(({ items }) => items)) {
      for (const { box } of isTextBlock(block) && block.kind !== "code" ? block.lines : [block]) {
        lefts.push(box[0]);
        rights.push(box[2]);
      }
    }
  }
  lefts.sort((a, b) => a - b);
  rights.sort((a, b) => b - a);
  const [left, right] = [lefts, rights].map((sides) => sides[Math.floor(OUTSIDE * sides.length)] ?? 0) as [
    number,
    number,
  ];
  return {
    left: lefts.find((one) => one > left - NEAR) ?? left,
    right: rights.find((one) => one < right + NEAR) ?? right,
  };
}

/** Returns the sides of the text of a page, which can be further left or right than those of its section. */
export function sidesOf({ extent }: WordPage, body: Extent): Column {
  const isShifted = extent && Math.abs(extent.right - extent.left - (body.right - body.left)) < SAME_WIDTH;
  return isShifted ? extent : body;
}

export interface SpacedItem extends RegionItem {
  /** Space between its lines and those above it in its column; undefined for the first one. */
  readonly above?: number;
  readonly column: number;
}

/** Returns the items of a region with the space above them. */
export function spacedItems({ items }: Region, pitches: Pitches): readonly SpacedItem[] {
  let [bottom, last] = [Number.NaN, -1];
  return items.map((item): SpacedItem => {
    const { top, bottom: end } = edgesOf(item.block, pitches);
    const above = item.column === last ? bottom - top : undefined;
    [bottom, last] = [end, item.column];
    return { ...item, ...(above === undefined ? {} : { above }) };
  });
}

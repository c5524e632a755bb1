// The sections of a document: sizes, margins and columns of pages.
import type { Section } from "../formats/docx/section.ts";
import { isTextBlock } from "../layout/lines/blocks.ts";
import { furnitureEdge } from "./furniture.ts";
import type { Region } from "./regions.ts";
import { widened } from "./style-looks.ts";
import { type Column, isLeftward } from "./text/measures.ts";
import { type Extent, isSameSize, type WordPage } from "./word-page.ts";

/** Space below the text of a page that counts as none, in distances of lines. */
export const ROOM = 0.3;
/** Differences of columns in points that count as none. */
export const SAME_COLUMN = 6;
/** Least margin in points below the text, if the page has it. */
const MIN_MARGIN = 18;
/** Distance of headers from the edge of a page without any. */
const EDGE = 36;

export const LETTER: Section = {
  ...{ width: 612, height: 792, left: 72, right: 72, top: 72, bottom: 72, header: EDGE, footer: EDGE },
  ...{ columns: [], isRightToLeft: false },
};

/** Returns the columns of a region. A region with one column has the sides of the text. */
export function columnsOf(region: Region | undefined, sides: Column): Section["columns"] {
  if (!region || region.columns.length < 2) return [];
  const columns = widened(region.columns, sides);
  return columns.map(({ left, right }, at) => ({
    width: right - left,
    space: (columns[at + 1]?.left ?? right) - right,
  }));
}

export function isSameForm(
  { width, height, columns }: Section,
  { layout }: WordPage,
  others: Section["columns"],
): boolean {
  if (!isSameSize(layout, { ...layout, width, height }) || columns.length !== others.length) return false;
  return columns.every((one, at) => Math.abs(one.width - others[at]!.width) < SAME_COLUMN);
}

export function sectionOf(pages: readonly WordPage[], body: Extent, columns: Section["columns"]): Section {
  const [{ layout, regions }] = pages as [WordPage, ...WordPage[]];
  const same = pages.filter((page) => isSameSize(page.layout, layout));
  const lines = regions.flatMap(({ items }) => items.flatMap(({ block }) => (isTextBlock(block) ? block.lines : [])));
  const sizes = same.flatMap(({ layout: { blocks } }) =>
    blocks.flatMap((block) => (isTextBlock(block) ? [block.size] : [])),
  );
  const slack = ROOM * (sizes.sort((a, b) => a - b)[sizes.length >> 1] ?? 0);
  return {
    ...{ width: layout.width, height: layout.height, left: body.left, right: layout.width - body.right },
    ...{
      top: layout.height - body.top,
      bottom: Math.max(Math.min(body.bottom, MIN_MARGIN), body.bottom - slack),
      columns,
    },
    header: furnitureEdge(same, "header") ?? EDGE,
    footer: furnitureEdge(same, "footer") ?? EDGE,
    isRightToLeft: isLeftward(lines),
  };
}

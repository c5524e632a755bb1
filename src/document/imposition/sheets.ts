// Arranges pages on sheets. Independent of PDF.
import type { Box } from "../content/matrix.ts";

export const LAYOUTS = ["2-up", "4-up", "8-up", "booklet"] as const;
export type Layout = (typeof LAYOUTS)[number];

/** Columns and rows of a sheet in landscape orientation. In portrait, a sheet has the opposite numbers. */
const GRIDS: Readonly<Record<Layout, readonly [columns: number, rows: number]>> = {
  "2-up": [2, 1],
  "4-up": [2, 2],
  "8-up": [4, 2],
  booklet: [2, 1],
};

/** The orientation in which pages in portrait fill the sheet best. */
export const usualOrientation = (layout: Layout): "portrait" | "landscape" =>
  layout === "4-up" ? "portrait" : "landscape";

export interface Sheet {
  readonly width: number;
  readonly height: number;
  /** Distance of the pages from the edges of the sheet, and from each other. */
  readonly margin: number;
  readonly gap: number;
}

/** Returns the places of pages on a sheet, in reading order; undefined if margins and gaps leave no space. */
export function placesOn({ width, height, margin, gap }: Sheet, layout: Layout): readonly Box[] | undefined {
  const [across, down] = GRIDS[layout];
  const [columns, rows] = width >= height ? [across, down] : [down, across];
  const cellWidth = (width - 2 * margin - (columns - 1) * gap) / columns;
  const cellHeight = (height - 2 * margin - (rows - 1) * gap) / rows;
  if (cellWidth < 1 || cellHeight < 1) return undefined;
  return Array.from({ length: columns * rows }, (_, index) => {
    const left = margin + (index % columns) * (cellWidth + gap);
    const top = height - margin - Math.floor(index / columns) * (cellHeight + gap);
    return [left, top - cellHeight, left + cellWidth, top] as const;
  });
}

/** Divides pages among sheets. Undefined is an empty place. */
export function sheetsOf<T>(pages: readonly T[], layout: Layout): readonly (readonly (T | undefined)[])[] {
  const [columns, rows] = GRIDS[layout];
  const size = columns * rows;
  if (layout !== "booklet") {
    return Array.from({ length: Math.ceil(pages.length / size) }, (_, sheet) =>
      pages.slice(sheet * size, (sheet + 1) * size),
    );
  }
  // Each folded sheet of paper has four pages: the outermost has the last and the first on its front.
  const count = Math.ceil(pages.length / 4) * 4;
  return Array.from({ length: count / 2 }, (_, side) => {
    const [outer, inner] = [pages[count - 1 - side], pages[side]];
    return side % 2 === 0 ? [outer, inner] : [inner, outer];
  });
}

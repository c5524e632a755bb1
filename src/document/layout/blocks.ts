// The parts of a page in reading order, as data.
import type { Box } from "../content/matrix.ts";
import type { Word } from "./page-text.ts";

/** Words beside each other, in the order of the text. */
export interface Line {
  readonly words: readonly PlacedWord[];
  /** In points from the lower left corner of the page as viewers show it. */
  readonly box: Box;
}

export interface PlacedWord extends Word {
  /** Address of a link on the word. @default none */
  readonly link?: string;
  /** Position of a small word beside larger ones. @default on the baseline */
  readonly position?: "superscript" | "subscript";
}

export type Block = TextBlock | TableBlock | FigureBlock;

/** What a block of text is. `running` text is repeated on other pages, or numbers the pages. */
export type TextKind = "heading" | "paragraph" | "item" | "code" | "caption" | "footnote" | "running";

export interface TextBlock {
  readonly kind: TextKind;
  readonly box: Box;
  readonly lines: readonly Line[];
  /** Left edge of the text along its direction. */
  readonly indent: number;
  /** Level of a heading, or depth of an item, from 1. @default 1 */
  readonly level?: number;
  /** Marker of an item, or of a footnote, which is not part of the lines. */
  readonly marker?: string;
}

export interface TableBlock {
  readonly kind: "table";
  readonly box: Box;
  readonly rows: readonly (readonly Cell[])[];
  readonly columnCount: number;
  /** Number of rows that are headers. */
  readonly headerRows: number;
}

export interface Cell {
  /** Index of the first column, from 0. */
  readonly column: number;
  readonly columnSpan: number;
  readonly rowSpan: number;
  readonly lines: readonly Line[];
}

export interface FigureBlock {
  readonly kind: "figure";
  readonly box: Box;
}

/** A page with its blocks in reading order. */
export interface PageLayout {
  /** Page number, from 1. */
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly blocks: readonly Block[];
}

/** Returns all lines of a block. */
export function linesIn(block: Block): readonly Line[] {
  if (block.kind === "table") return block.rows.flatMap((row) => row.flatMap(({ lines }) => lines));
  return block.kind === "figure" ? [] : block.lines;
}

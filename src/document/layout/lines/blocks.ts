// The parts of a page in reading order, as data.
import type { Box } from "../../content/matrix.ts";
import type { PageText, Word } from "./page-text.ts";

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

/** The kind of a block of text. `running` text is repeated on other pages, or numbers the pages. */
export type TextKind = "heading" | "paragraph" | "item" | "code" | "caption" | "footnote" | "running";

export interface TextBlock {
  readonly kind: TextKind;
  readonly box: Box;
  readonly lines: readonly Line[];
  /** Start of its first line along the reading direction. */
  readonly indent: number;
  /** Level of a heading, or depth of an item, from 1. @default 1 */
  readonly level?: number;
  /** Font size of most of its characters. */
  readonly size: number;
  /** Marker of an item. */
  readonly marker?: string;
  /** Number of words at the start that are the marker; 0 if it is drawn as a shape. @default 0 */
  readonly markerWords?: number;
  /** True if the tags of the document state its kind and its extent. @default false */
  readonly isTagged?: boolean;
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
  /** Description of what it shows. @default none */
  readonly alternateText?: string;
}

/** A page with its blocks in reading order. */
export interface PageLayout {
  /** Page number, from 1. */
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly blocks: readonly Block[];
  /** The items of the outline that lead to the page. @default none */
  readonly bookmarks?: PageText["bookmarks"];
}

export const isTextBlock = (block: Block): block is TextBlock => block.kind !== "table" && block.kind !== "figure";

/** Returns all lines of a block. */
export function linesIn(block: Block): readonly Line[] {
  if (block.kind === "table") return block.rows.flatMap((row) => row.flatMap(({ lines }) => lines));
  return block.kind === "figure" ? [] : block.lines;
}

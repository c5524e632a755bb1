// Writes tables (ECMA-376 part 1, 17.4).
import { element, twips } from "./xml-text.ts";

/** The sides of a cell with a line: its width in points, and its color. */
export interface CellBorders {
  readonly top?: Border | undefined;
  readonly left?: Border | undefined;
  readonly bottom?: Border | undefined;
  readonly right?: Border | undefined;
}

export interface Border {
  readonly width: number;
  readonly color: string;
}

export interface WordCell {
  readonly column: number;
  readonly columnSpan: number;
  /** `continue` for the rows below the first one of a cell that spans rows. @default the cell has one row */
  readonly merge?: "restart" | "continue" | undefined;
  readonly borders: CellBorders;
  readonly fill?: string | undefined;
  /** Paragraphs. */
  readonly content: string;
}

export interface WordRow {
  /** Minimum height in points. */
  readonly height: number;
  readonly isHeader: boolean;
  readonly cells: readonly WordCell[];
}

export interface WordTable {
  /** Place of the table from the margin. */
  readonly indent: number;
  readonly widths: readonly number[];
  /** Space beside the text of cells. */
  readonly padding: number;
  readonly isRightToLeft: boolean;
  readonly rows: readonly WordRow[];
}

/** Without it, some readers take the header for a row. */
const HEADER_LOOK = '<w:tblLook w:val="0620" w:firstRow="1" w:noHBand="1" w:noVBand="1"/>';

export const TABLE_END = "</w:tbl>";

/** Returns the start of a table, before its rows. */
export function tableStart({ indent, widths, padding, isRightToLeft, rows }: WordTable): string {
  const margin = Math.max(0, twips(padding));
  const cells = ["left", "right"].map((side) => `<w:${side} w:w="${margin}" w:type="dxa"/>`).join("");
  return [
    `<w:tbl><w:tblPr>${isRightToLeft ? "<w:bidiVisual/>" : ""}<w:tblW w:w="${sum(widths)}" w:type="dxa"/>`,
    `<w:tblInd w:w="${twips(indent)}" w:type="dxa"/><w:tblLayout w:type="fixed"/><w:tblCellMar>${cells}</w:tblCellMar>`,
    `${rows[0]?.isHeader ? HEADER_LOOK : ""}</w:tblPr>`,
    `<w:tblGrid>${widths.map((width) => element("gridCol", { w: twips(width) })).join("")}</w:tblGrid>`,
  ].join("");
}

const sum = (widths: readonly number[]): number => twips(widths.reduce((all, one) => all + one, 0));

/** @param widths the widths of the columns of the table, which can start on another page */
export function rowsXml(rows: readonly WordRow[], widths: readonly number[]): string {
  const all = rows.map(({ height, isHeader, cells }) => {
    const size = height > 0 ? element("trHeight", { val: twips(height), hRule: "atLeast" }) : "";
    const inside = cells.map((cell) => cellXml(cell, sum(widths.slice(cell.column, cell.column + cell.columnSpan))));
    return `<w:tr><w:trPr><w:cantSplit/>${size}${isHeader ? "<w:tblHeader/>" : ""}</w:trPr>${inside.join("")}</w:tr>`;
  });
  return all.join("");
}

function cellXml({ columnSpan, merge, borders, fill, content }: WordCell, width: number): string {
  const lines = (["top", "left", "bottom", "right"] as const).flatMap((side) => {
    const border = borders[side];
    if (!border) return [];
    const sz = Math.max(2, Math.min(96, Math.round(border.width * 8)));
    return [element(side, { val: "single", sz, space: 0, color: border.color })];
  });
  return [
    `<w:tc><w:tcPr><w:tcW w:w="${width}" w:type="dxa"/>`,
    columnSpan > 1 ? element("gridSpan", { val: columnSpan }) : "",
    merge ? element("vMerge", { val: merge }) : "",
    lines.length > 0 ? `<w:tcBorders>${lines.join("")}</w:tcBorders>` : "",
    fill === undefined ? "" : element("shd", { val: "clear", color: "auto", fill }),
    `</w:tcPr>${content}</w:tc>`,
  ].join("");
}

// Writes a sheet of a workbook row by row (ECMA-376 part 1, 18.3).
import type { Styles } from "./styles.ts";
import { xmlText } from "./xml-text.ts";

export interface SheetCell {
  /** Index of the first column, from 0. */
  readonly column: number;
  readonly columnSpan: number;
  readonly rowSpan: number;
  /** Text is never a formula. */
  readonly value: string | number;
  /** Number format, as in `#,##0.00`; `@` for text that would be a number. @default none */
  readonly format?: string | undefined;
  readonly isBold?: boolean | undefined;
}

export interface Sheet {
  /** Number of characters that fit into each column. */
  readonly widths: readonly number[];
  /** At most {@link MAX_ROWS}, each with its cells from the left. */
  readonly rows: Iterable<readonly SheetCell[]> | AsyncIterable<readonly SheetCell[]>;
  /** Returns the name in the workbook: unique, at most 31 characters. Called after all rows were written. */
  name(): string;
}

/** Number of rows of a sheet, and of characters in a cell, that programs take. */
export const MAX_ROWS = 1_048_576;
const MAX_CHARACTERS = 32_767;
const FLUSH_CHARACTERS = 2 ** 16;

const NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

export async function* sheetXml({ widths, rows }: Sheet, styles: Styles): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const merged: string[] = [];
  let text = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><worksheet xmlns="${NAMESPACE}">`;
  if (widths.length > 0) text += `<cols>${widths.map(columnXml).join("")}</cols>`;
  text += "<sheetData>";
  let row = 0;
  for await (const cells of rows) {
    row++;
    text += `<row r="${row}">${cells.map((cell) => cellXml(cell, { row, styles, widths })).join("")}</row>`;
    for (const { column, columnSpan, rowSpan } of cells) {
      if (columnSpan * rowSpan === 1) continue;
      merged.push(`${placeOf(column, row)}:${placeOf(column + columnSpan - 1, row + rowSpan - 1)}`);
    }
    if (text.length < FLUSH_CHARACTERS) continue;
    yield encoder.encode(text);
    text = "";
  }
  text += "</sheetData>";
  if (merged.length > 0) {
    const cells = merged.map((place) => `<mergeCell ref="${place}"/>`);
    text += `<mergeCells count="${merged.length}">${cells.join("")}</mergeCells>`;
  }
  yield encoder.encode(`${text}</worksheet>`);
}

const columnXml = (width: number, at: number): string =>
  `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`;

interface CellContext {
  readonly row: number;
  readonly styles: Styles;
  readonly widths: readonly number[];
}

function cellXml(cell: SheetCell, { row, styles, widths }: CellContext): string {
  const { column, columnSpan, value, format, isBold } = cell;
  const width = widths.slice(column, column + columnSpan).reduce((sum, one) => sum + one, 0);
  const wraps = typeof value === "string" && value.length > width;
  const start = `<c r="${placeOf(column, row)}" s="${styles.indexOf({ format, isBold, wraps })}"`;
  if (typeof value === "number") return `${start}><v>${value}</v></c>`;
  if (value === "") return `${start}/>`;
  const text = xmlText(value.slice(0, MAX_CHARACTERS));
  return `${start} t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
}

/** Returns a place such as `B3`. @param column index, from 0 @param row from 1 */
function placeOf(column: number, row: number): string {
  let letters = "";
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return `${letters}${row}`;
}

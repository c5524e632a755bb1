// Makes rows of a sheet of those of a table: typed values, bold headers.
import type { SheetCell } from "../formats/xlsx/sheet.ts";
import type { Cell } from "../layout/lines/blocks.ts";
import type { Hyphens } from "../layout/lines/hyphens.ts";
import { isBold } from "../layout/lines/line.ts";
import { flow } from "../layout/lines/plain-text.ts";
import type { NumberMarks } from "./number-marks.ts";
import type { TablePart } from "./table-parts.ts";
import type { TypedValue } from "./typed-value.ts";
import { typedValue } from "./values.ts";

/** How a document writes words and numbers. */
export interface Writing {
  readonly hyphens: Hyphens;
  readonly marks: Pick<NumberMarks, "decimal" | "isDayFirst">;
}

/** The cells of a row, with their texts, before their column decides about them. */
export interface ReadRow {
  readonly cells: readonly ReadCell[];
  readonly isHeader: boolean;
}

interface ReadCell extends Pick<Cell, "column" | "columnSpan" | "rowSpan"> {
  readonly text: string;
  readonly typed?: TypedValue | undefined;
  readonly isBold: boolean;
}

export function readRows({ rows, headerRows }: TablePart, writing: Writing): readonly ReadRow[] {
  return rows.map((row, at) => {
    const isHeader = at < headerRows;
    return { isHeader, cells: row.map((cell) => readCell(cell, isHeader, writing)) };
  });
}

function readCell({ lines, ...place }: Cell, isHeader: boolean, { hyphens, marks }: Writing): ReadCell {
  const words = lines.flatMap((line) => line.words);
  const { column, columnSpan, rowSpan } = place;
  return {
    ...{ column, columnSpan, rowSpan, text: flow(lines, hyphens) },
    typed: typedValue(flow(lines.map(withoutIndexes), hyphens), marks),
    isBold: words.length > 0 && (isHeader || words.every(({ style }) => isBold(style))),
  };
}

/** Returns a line without the raised numbers of footnotes, which are no digits of a value. */
const withoutIndexes = (line: Cell["lines"][number]): Cell["lines"][number] => ({
  ...line,
  words: line.words.filter(({ position }) => position !== "superscript"),
});

/** Minimum and maximum width of a column, in characters, and the space beside them. */
const NARROW = 6;
const WIDE = 60;
const PADDING = 2;
/** Number of texts that are numbers if a column has only such texts. */
const ALIKE = 3;

/** What the first rows of a table show about its columns. */
export class Columns {
  readonly widths: readonly number[];
  /** Columns with a text such as `0123`, whose numbers are numbers of things. */
  readonly #coded = new Set<number>();
  readonly #numeric = new Set<number>();

  constructor(rows: readonly ReadRow[], count: number) {
    const widths = Array.from({ length: count }, () => NARROW);
    const kinds = widths.map(() => ({ text: 0, unsure: 0, sure: 0 }));
    for (const { cells, isHeader } of rows) {
      for (const { column, columnSpan, text, typed } of cells) {
        if (columnSpan === 1) widths[column] = Math.max(widths[column]!, Math.min(WIDE, text.length + PADDING));
        if (!isHeader && /^0\d+$/.test(text)) this.#coded.add(column);
        if (!isHeader && text !== "")
          kinds[column]![typed === undefined ? "text" : typed.isUnsure ? "unsure" : "sure"]++;
      }
    }
    this.widths = widths;
    for (const [column, { text, unsure, sure }] of kinds.entries()) {
      if (sure > 0 || (text === 0 && unsure >= ALIKE)) this.#numeric.add(column);
    }
  }

  rowOf({ cells }: ReadRow): readonly SheetCell[] {
    return cells.map((cell) => ({ ...cell, ...this.#valueOf(cell) }));
  }

  #valueOf({ column, text, typed }: ReadCell): Pick<SheetCell, "value" | "format"> {
    const isCode = this.#coded.has(column) && typed?.format === undefined;
    if (typed && !isCode && (!typed.isUnsure || this.#numeric.has(column))) {
      return { value: typed.value, format: typed.format };
    }
    return /^[\d=+@-]/.test(text) ? { value: text, format: "@" } : { value: text };
  }
}

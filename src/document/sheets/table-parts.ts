// The tables of a document, page by page; a table that goes on over pages has a part on each of them.
import type { Block, Cell, PageLayout, TableBlock } from "../layout/lines/blocks.ts";
import { lineText } from "../layout/lines/plain-text.ts";

export interface TablePart {
  readonly page: number;
  /** The rows, without the headers that a further page repeats. */
  readonly rows: TableBlock["rows"];
  readonly columnCount: number;
  readonly headerRows: number;
  /** True if the rows continue the part before. */
  readonly isContinuation: boolean;
}

/** Difference of the places of one table on two pages, in points. */
const SAME_PLACE = 18;

/** Finds the parts of tables. */
export class TableParts {
  /** The table at the end of the page before, and the first rows of its first part. */
  #open: { readonly table: TableBlock; readonly headers: TableBlock["rows"] } | undefined;

  /** Returns the parts on the next page. */
  of({ number, blocks }: PageLayout): readonly TablePart[] {
    const content = blocks.filter(isContent);
    const parts: TablePart[] = [];
    const before = this.#open;
    if (content.length > 0) this.#open = undefined;
    for (const [at, block] of content.entries()) {
      if (block.kind !== "table") continue;
      const { rows, columnCount, headerRows } = block;
      const isContinuation = at === 0 && before !== undefined && goesOn(before.table, block);
      const headers = isContinuation ? before.headers : rows.slice(0, headerRows);
      const repeated = isContinuation ? repeatedRows(headers, rows) : 0;
      parts.push({
        ...{ page: number, columnCount, isContinuation },
        rows: rows.slice(repeated),
        headerRows: isContinuation ? 0 : headerRows,
      });
      if (at === content.length - 1) this.#open = { table: block, headers };
    }
    return parts;
  }
}

/** Reports whether a block counts at the edge of a page. */
const isContent = ({ kind }: Block): boolean => kind !== "running" && kind !== "figure";

/** Reports whether two tables on pages that follow each other have the same columns. */
const goesOn = (last: TableBlock, next: TableBlock): boolean =>
  last.columnCount === next.columnCount &&
  Math.abs(last.box[0] - next.box[0]) < SAME_PLACE &&
  Math.abs(last.box[2] - next.box[2]) < Math.max(SAME_PLACE, (last.box[2] - last.box[0]) / 4);

/** Returns the number of first rows that repeat the headers. */
function repeatedRows(headers: TableBlock["rows"], rows: TableBlock["rows"]): number {
  const isRepeated = headers.every((row, at) => rows[at] !== undefined && textOf(rows[at]) === textOf(row));
  return isRepeated ? headers.length : 0;
}

const textOf = (row: readonly Cell[]): string => row.map(({ lines }) => lines.map(lineText).join(" ")).join("\t");

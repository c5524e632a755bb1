// Places cells in the grid of a table, with their spans and looks.
import { OutOfRange } from "../contract/failure.ts";
import type { CellLook, CellLooks, StyleSource } from "./cell-look.ts";
import type { CellObject, RowObject, TableObject } from "./table-object.ts";

/** A cell in the grid. Rows are counted within its section. */
export interface GridCell {
  readonly source: CellObject;
  /** Name in errors. */
  readonly path: string;
  readonly row: number;
  readonly column: number;
  readonly look: CellLook;
}

export interface GridRow {
  readonly source: RowObject;
  readonly path: string;
  readonly section: SectionName;
  readonly cells: readonly GridCell[];
}

export const SECTIONS = ["header_rows", "rows", "footer_rows"] as const;
export type SectionName = (typeof SECTIONS)[number];
export type Grid = Readonly<Record<SectionName, readonly GridRow[]>>;

const counted = (columns: number): string => (columns === 1 ? "1 column" : `${columns} columns`);

/** Returns the number of columns: as declared, or as many as the first row has. */
export const columnCountOf = ({ columns, header_rows, rows }: TableObject): number =>
  columns?.length ?? (header_rows ?? rows)[0]!.cells.reduce((sum, { col_span }) => sum + col_span, 0);

/**
 * @param path name of the table in errors
 * @throws OutOfRange if cells overlap, leave a gap, or reach beyond the grid; if a font is unknown
 */
export function gridOf(table: TableObject, path: string, looks: CellLooks): Grid {
  const section = (name: SectionName) => new SectionBuilder(table, path, looks, name).build();
  return { header_rows: section("header_rows"), rows: section("rows"), footer_rows: section("footer_rows") };
}

class SectionBuilder {
  readonly #table: TableObject;
  readonly #path: string;
  readonly #looks: CellLooks;
  readonly #name: SectionName;
  /** Number of further rows that cells of the rows above cover, by column. */
  readonly #covered: number[];

  constructor(table: TableObject, path: string, looks: CellLooks, name: SectionName) {
    this.#table = table;
    this.#path = path;
    this.#looks = looks;
    this.#name = name;
    this.#covered = Array<number>(columnCountOf(table)).fill(0);
  }

  build(): readonly GridRow[] {
    const rows = this.#table[this.#name] ?? [];
    return rows.map((source, index) => this.#row(source, index, rows.length - index));
  }

  #row(source: RowObject, row: number, rowsLeft: number): GridRow {
    const path = `${this.#path}.${this.#name}.${row}`;
    const covered = this.#covered;
    let column = 0;
    const skip = () => {
      while (covered[column]! > 0) column++;
    };
    const cells = source.cells.map((cell, index) => {
      skip();
      const cellPath = `${path}.cells.${index}`;
      this.#check(cell, cellPath, column, rowsLeft);
      const start = column;
      column += cell.col_span;
      covered.fill(cell.row_span, start, column);
      const look = this.#looks.combine(this.#stylesOf(start, { style: source.style, path }, cell, cellPath));
      return { source: cell, path: cellPath, row, column: start, look };
    });
    skip();
    if (column < covered.length) {
      throw new OutOfRange(`${path}.cells`, String(cells.length), `They fill ${column} of ${counted(covered.length)}.`);
    }
    for (const [index, rows] of covered.entries()) covered[index] = Math.max(0, rows - 1);
    return { source, path, section: this.#name, cells };
  }

  #check({ col_span, row_span }: CellObject, path: string, column: number, rowsLeft: number): void {
    const count = this.#covered.length;
    if (column + col_span > count) {
      throw new OutOfRange(`${path}.col_span`, String(col_span), `The table has ${counted(count)}.`);
    }
    if (this.#covered.slice(column, column + col_span).some((rows) => rows > 0)) {
      throw new OutOfRange(`${path}.col_span`, String(col_span), "The cell overlaps a cell of a row above.");
    }
    if (row_span > rowsLeft) {
      const why = `The cell reaches beyond the last row of ${this.#name}.`;
      throw new OutOfRange(`${path}.row_span`, String(row_span), why);
    }
  }

  #stylesOf(column: number, row: StyleSource, cell: CellObject, path: string): readonly StyleSource[] {
    return [
      { style: this.#table.style, path: this.#path },
      { style: this.#table.columns?.[column]?.style, path: `${this.#path}.columns.${column}` },
      row,
      { style: cell.style, path },
    ];
  }
}

/** Divides rows into groups, such that no cell reaches from one group into another. */
export function* groupsOf(rows: readonly GridRow[]): Generator<readonly GridRow[]> {
  let start = 0;
  let end = 0;
  for (const [index, { cells }] of rows.entries()) {
    for (const { source } of cells) end = Math.max(end, index + source.row_span);
    if (index + 1 < end) continue;
    yield rows.slice(start, index + 1);
    start = index + 1;
  }
}

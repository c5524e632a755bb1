// Makes tables of Word of tables of a page: widths of columns, heights of rows, lines and fills of cells.
import type { Border, CellBorders, WordCell, WordRow, WordTable } from "../formats/docx/table.ts";
import type { Cell, Line, TableBlock } from "../layout/lines/blocks.ts";
import type { Column } from "./text/measures.ts";
import type { DrawnLine, PageDrawing } from "./text/page-drawing.ts";

/** Distance in points within which lines are at the edge of a table. */
const NEAR = 14;
const PADDING = 5.4;
const MIN_WIDTH = 6;
const MIN_HEIGHT = 4;
/** Differences of the ends of cells in a column that count as none. */
const SAME = 2;
const MAX_CELLS = 60_000;

/** The contents of a cell: its lines, and where they are. */
export interface CellPlace {
  readonly column: Column;
  /** Upper edge of the row. */
  readonly top: number;
  /** Color of the cell. @default none */
  readonly fill?: string | undefined;
}

export interface PlacedTable {
  /** Upper and lower edge on the page. */
  readonly top: number;
  readonly bottom: number;
  readonly table: Omit<WordTable, "indent"> & { readonly left: number };
}

interface Range {
  readonly low: number;
  readonly high: number;
}

/** @param contentOf writes the lines of a cell as paragraphs */
export function placedTable(
  block: TableBlock,
  drawing: PageDrawing,
  contentOf: (lines: readonly Line[], place: CellPlace) => string,
): PlacedTable | undefined {
  if (block.rows.length * block.columnCount > MAX_CELLS) return undefined;
  const columns = columnEdges(block, drawing);
  const rows = rowEdges(block, drawing);
  const padding = paddingOf(block, columns);
  const cellAt = (cell: Cell, row: number, rowSpan: number) => {
    const [left, right] = [columns[cell.column]!, columns[cell.column + cell.columnSpan]!];
    const [top, bottom] = [rows[row]!, rows[row + rowSpan]!];
    const fill = drawing.fillAround([left + 2, bottom + 2, right - 2, top - 2]);
    const place = { column: { left: left + padding, right: right - padding }, top, fill };
    return { content: contentOf(cell.lines, place), borders: bordersOf([left, bottom, right, top], drawing), fill };
  };
  const empty = contentOf([], { column: { left: 0, right: 0 }, top: 0 });
  const filled = filledRows(block);
  const written = filled.map(
    (row, at): WordRow => ({
      height: rows[at]! - rows[at + 1]!,
      isHeader: block.headerRows < block.rows.length && at < block.headerRows,
      cells: row.map(({ cell, isContinued }): WordCell => {
        const { column, columnSpan } = cell;
        const rowSpan = Math.max(1, Math.min(cell.rowSpan, block.rows.length - at));
        const merge = isContinued ? "continue" : rowSpan > 1 ? "restart" : undefined;
        const { content, borders, fill } = cellAt(cell, at, isContinued ? 1 : rowSpan);
        return { column, columnSpan, borders, fill, merge, content: isContinued ? empty : content };
      }),
    }),
  );
  const widths = columns.slice(1).map((edge, at) => edge - columns[at]!);
  const table = { left: columns[0]!, widths, padding, isRightToLeft: false, rows: written };
  return { top: rows[0]!, bottom: rows.at(-1)!, table };
}

interface FilledCell {
  readonly cell: Cell;
  readonly isContinued: boolean;
}

/** Returns rows in which cells take all columns: also those of rows above that span several. */
function filledRows({ rows, columnCount }: TableBlock): readonly (readonly FilledCell[])[] {
  const open: (Cell | undefined)[] = [];
  const left: number[] = [];
  return rows.map((row) => {
    const own = new Map(row.map((cell) => [cell.column, cell]));
    const filled: FilledCell[] = [];
    for (let column = 0; column < columnCount; ) {
      const above = (left[column] ?? 0) > 0 ? open[column] : undefined;
      const cell = above ?? own.get(column) ?? { column, columnSpan: 1, rowSpan: 1, lines: [] };
      const columnSpan = Math.max(1, Math.min(cell.columnSpan, columnCount - column));
      if (above) left[column]!--;
      else [open[column], left[column]] = [cell, cell.rowSpan - 1];
      filled.push({ cell: { ...cell, columnSpan, lines: above ? [] : cell.lines }, isContinued: above !== undefined });
      column += columnSpan;
    }
    return filled;
  });
}

const boxOf = (lines: readonly Line[]) => ({
  left: Math.min(...lines.map(({ box }) => box[0])),
  right: Math.max(...lines.map(({ box }) => box[2])),
  bottom: Math.min(...lines.map(({ box }) => box[1])),
  top: Math.max(...lines.map(({ box }) => box[3])),
});

const spread = (values: readonly number[]): number =>
  values.length > 1 ? Math.max(...values) - Math.min(...values) : 0;

/** Returns the places of the edges of columns, from the left. */
function columnEdges({ rows, columnCount, box }: TableBlock, drawing: PageDrawing): number[] {
  const cells = rows.flat().filter(({ lines }) => lines.length > 0);
  const ends = Array.from({ length: columnCount }, (): number[] => []);
  const starts = Array.from({ length: columnCount }, (): number[] => []);
  for (const { column, columnSpan, lines } of cells) {
    const { left, right } = boxOf(lines);
    starts[column]!.push(left);
    ends[Math.min(columnCount, column + columnSpan) - 1]!.push(right);
  }
  const lineAt = (low: number, high: number) => drawing.lineDown(...heights(box), low, high)?.at;
  const edges = [lineAt(box[0] - NEAR, box[0] + 1) ?? box[0] - PADDING];
  for (let column = 1; column < columnCount; column++) {
    const [before, after] = [ends[column - 1]!, starts[column]!];
    const low = before.length > 0 ? Math.max(...before) : edges[column - 1]! + MIN_WIDTH;
    const high =
      after.length > 0 ? Math.min(...after) : Math.max(low + MIN_WIDTH, ...starts.slice(column).flat().slice(0, 1));
    const isRight = before.length > 1 && spread(before) < SAME && spread(after) > SAME;
    const gap = Math.max(0, high - low);
    const usual = isRight ? low + Math.min(PADDING, gap / 2) : high - Math.min(PADDING, gap / 2);
    edges.push(Math.max(edges[column - 1]! + MIN_WIDTH, lineAt(low - 1, high + 1) ?? usual));
  }
  const last = edges.at(-1)! + MIN_WIDTH;
  edges.push(Math.max(last, lineAt(box[2] - 1, box[2] + NEAR) ?? box[2] + PADDING));
  return edges;
}

const heights = ([, bottom, , top]: TableBlock["box"]): [number, number] => [bottom, top];

/** Returns the places of the edges of rows, from the top. */
function rowEdges({ rows, box }: TableBlock, drawing: PageDrawing): number[] {
  const extents = rows.map((row): Range | undefined => {
    const own = row.filter(({ lines, rowSpan }) => lines.length > 0 && rowSpan === 1).flatMap(({ lines }) => lines);
    if (own.length === 0) return undefined;
    const { bottom, top } = boxOf(own);
    return { low: bottom, high: top };
  });
  const lineAt = (low: number, high: number) => drawing.lineAcross(box[0], box[2], low, high)?.at;
  const edges = [lineAt(box[3] - 1, box[3] + NEAR) ?? box[3]];
  for (let row = 1; row < rows.length; row++) {
    const [above, below] = [extents[row - 1], extents[row]];
    const high = above?.low ?? edges[row - 1]! - MIN_HEIGHT;
    const low = below?.high ?? high - MIN_HEIGHT;
    const edge = lineAt(Math.min(low, high) - 1, Math.max(low, high) + 1) ?? (low + high) / 2;
    edges.push(Math.min(edges[row - 1]! - MIN_HEIGHT, edge));
  }
  const last = edges.at(-1)! - MIN_HEIGHT;
  edges.push(Math.min(last, lineAt(box[1] - NEAR, box[1] + 1) ?? box[1]));
  return edges;
}

/** Returns the least space beside the text of cells. */
function paddingOf({ rows }: TableBlock, columns: readonly number[]): number {
  let least = PADDING;
  for (const { column, lines } of rows.flat()) {
    if (lines.length > 0) least = Math.min(least, boxOf(lines).left - columns[column]!);
  }
  return Math.max(0, least);
}

function bordersOf(
  [left, bottom, right, top]: readonly [number, number, number, number],
  drawing: PageDrawing,
): CellBorders {
  const border = (line: DrawnLine | undefined): Border | undefined => line && { width: line.width, color: line.color };
  return {
    top: border(drawing.lineAcross(left, right, top - SAME, top + SAME)),
    left: border(drawing.lineDown(bottom, top, left - SAME, left + SAME)),
    bottom: border(drawing.lineAcross(left, right, bottom - SAME, bottom + SAME)),
    right: border(drawing.lineDown(bottom, top, right - SAME, right + SAME)),
  };
}

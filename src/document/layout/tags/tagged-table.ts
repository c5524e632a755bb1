// Makes a table of the rows and cells of the structure tree.
import type { StructureNode } from "../../engines/mupdf/structure/document-structure.ts";
import type { Cell, TableBlock } from "../lines/blocks.ts";
import { boxOfWords } from "../lines/segments.ts";
import { headerRowsOf } from "../tables/table-blocks.ts";
import { linesOfRows, rowsInOrder } from "./tagged-rows.ts";
import type { TaggedText } from "./tagged-text.ts";

const MAX_COLUMNS = 1000;
const MAX_CELLS = 20_000;
/** Elements between a table and its rows, or a row and its cells. */
const GROUPS = new Set(["THead", "TBody", "TFoot", "NonStruct", "Div", "Sect"]);
/** Elements that show that a cell is a part of the page. */
const PARTS = /^(?:H\d*|Table|Title|Sect|Art)$/;

/** The rows of a table: its cells, each row from the left. */
type TaggedRow = readonly StructureNode[];

/** Returns the rows of a table with at least two rows and columns, unless it arranges parts of the page. */
export function rowsOfTable(table: StructureNode): readonly TaggedRow[] | undefined {
  const rows = kidsOf(table, "TR").map((row) => [...kidsOf(row, "TH", "TD")]);
  const [widest, count] = rows.reduce(([most, sum], { length }) => [Math.max(most, length), sum + length], [0, 0]);
  if (rows.length < 2 || widest < 2 || count > MAX_CELLS) return undefined;
  return rows.some((row) => row.some((cell) => hasParts(cell))) ? undefined : rows;
}

function kidsOf(node: StructureNode, ...types: readonly string[]): readonly StructureNode[] {
  return node.kids.flatMap((kid) => {
    if (typeof kid === "number") return [];
    if (types.includes(kid.type)) return [kid];
    return GROUPS.has(kid.type) ? kidsOf(kid, ...types) : [];
  });
}

const hasParts = ({ kids }: StructureNode): boolean =>
  kids.some((kid) => typeof kid !== "number" && (PARTS.test(kid.type) || hasParts(kid)));

/** Returns a table as a block. @returns undefined if it has no text */
export function tableOfRows(tagged: readonly TaggedRow[], text: TaggedText): TableBlock | undefined {
  const context = { links: text.links, direction: text.direction };
  /** Rows, by column, that cells of rows above still reach into. */
  const reach: number[] = [];
  const rows = tagged.map((cells, row) => {
    const placed: Cell[] = [];
    let column = 0;
    for (const cell of cells) {
      while ((reach[column] ?? 0) > row) column++;
      const columnSpan = Math.min(cell.columnSpan ?? 1, Math.max(1, MAX_COLUMNS - column));
      const rowSpan = Math.min(cell.rowSpan ?? 1, tagged.length - row);
      const lines = linesOfRows(rowsInOrder(text.takeAll(cell), text.direction), context);
      placed.push({ column, columnSpan, rowSpan, lines });
      for (let end = column + columnSpan; column < end; column++) reach[column] = row + rowSpan;
    }
    return placed;
  });
  const words = rows.flatMap((row) => row.flatMap(({ lines }) => lines.flatMap((line) => line.words)));
  if (words.length === 0 || reach.length > MAX_COLUMNS) return undefined;
  const headers = tagged.findIndex((row) => row.some(({ type }) => type !== "TH"));
  const filled = withEmptyCells(rows, reach.length);
  const headerRows = headers > 0 ? headers : headerRowsOf(filled);
  return { kind: "table", box: boxOfWords(words), rows: filled, columnCount: reach.length, headerRows };
}

/** Adds cells where rows have none. */
function withEmptyCells(rows: readonly (readonly Cell[])[], columnCount: number): readonly (readonly Cell[])[] {
  const reach = Array.from({ length: columnCount }, () => 0);
  return rows.map((row, at) => {
    for (const { column, columnSpan, rowSpan } of row) reach.fill(at + rowSpan, column, column + columnSpan);
    const missing = reach.flatMap((end, column): readonly Cell[] =>
      end > at ? [] : [{ column, columnSpan: 1, rowSpan: 1, lines: [] }],
    );
    return missing.length === 0 ? row : [...row, ...missing].sort((a, b) => a.column - b.column);
  });
}

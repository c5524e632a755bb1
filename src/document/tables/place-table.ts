// Places a table on pages: computes its grid, its columns and its position, and lays rows out as pages take them.
import type { StructureLinks } from "../annotations/structure-links.ts";
import { OutOfRange } from "../contract/failure.ts";
import { LIMITS } from "../contract/limits.ts";
import { yieldToOthers } from "../contract/operation.ts";
import type { ImageForm } from "../pages/image-form.ts";
import type { PageSize } from "../pages/page-size.ts";
import { contentOf, innerWidthOf, sizeOf, TOLERANCE, textOf } from "./cell-content.ts";
import type { CellLooks } from "./cell-look.ts";
import { columnWidthsOf } from "./column-widths.ts";
import { type Grid, type GridCell, type GridRow, gridOf, groupsOf } from "./grid.ts";
import { RowGroup } from "./row-group.ts";
import { type PageSequence, type Place, TableFlow } from "./table-flow.ts";
import type { TableObject } from "./table-object.ts";
import { type PaintServices, TablePainter } from "./table-painter.ts";
import { TableTags } from "./table-tags.ts";

export interface TableServices extends PaintServices {
  readonly looks: CellLooks;
  /** Tags of the document. @default tables are artifacts */
  readonly structure?: StructureLinks | undefined;
  readonly language?: string | undefined;
  /** Lets other work run from time to time. Must be called before a cell is laid out or measured. */
  pace(cell: GridCell): Promise<void>;
  /** Returns the image of a cell, if it has one. */
  imageOf(cell: GridCell): ImageForm | undefined;
}

/** Returns {@link TableServices.pace}. */
export function paceOf(signal: AbortSignal): TableServices["pace"] {
  let characters = 0;
  return async ({ source }) => {
    characters += CHARACTERS_OF_CELL + (source.text?.length ?? 0);
    if (characters < CHARACTERS_AT_ONCE) return;
    characters = 0;
    await yieldToOthers(signal);
  };
}

/** A table, and its name in errors. */
export interface NamedTable {
  readonly object: TableObject;
  readonly path: string;
}

/** Sides of a table, in points from the left edge of the page. */
export interface Sides {
  readonly left: number;
  readonly right: number;
}

const TOO_LONG = `Rows that are connected by cells have at most ${LIMITS.tableRowTextLength} characters together.`;
/** Number of characters that are laid out before other work of the process runs; a cell counts as some more. */
const CHARACTERS_AT_ONCE = 2000;
const CHARACTERS_OF_CELL = 20;

export class PlacedTable {
  readonly #table: NamedTable;
  readonly #services: TableServices;
  readonly #grid: Grid;
  readonly #widths: readonly number[];
  readonly sides: Sides;

  private constructor(table: NamedTable, services: TableServices, grid: Grid, widths: readonly number[], left: number) {
    this.#table = table;
    this.#services = services;
    this.#grid = grid;
    this.#widths = widths;
    this.sides = { left, right: left + sumOf(widths) };
  }

  /** @throws OutOfRange for cells outside the grid, an unknown font, or a table that is wider than its page */
  static async prepare(table: NamedTable, page: PageSize, services: TableServices): Promise<PlacedTable> {
    const { object, path } = table;
    if (object.y > page.height + TOLERANCE) {
      throw new OutOfRange(`${path}.y`, String(object.y), `The page is ${rounded(page.height)} points high.`);
    }
    const grid = gridOf(object, path, services.looks);
    const width = object.width_percentage ? (page.width * object.width_percentage) / 100 : object.width;
    checkWidth(table);
    const widths = await columnWidthsOf(object, grid, { width, most: spaceFor(object, page) }, async (cell) => {
      await services.pace(cell);
      return measure(cell, object.is_rtl, services);
    });
    const left = leftOf(object, page, sumOf(widths));
    if (left < -TOLERANCE || left + sumOf(widths) > page.width + TOLERANCE) {
      const why = `The page is ${rounded(page.width)} points wide, and the table reaches beyond it.`;
      throw new OutOfRange(`${path}.width`, String(rounded(sumOf(widths))), why);
    }
    return new PlacedTable(table, services, grid, widths, left);
  }

  /**
   * @returns the end of the table, and the number of cells whose content is cut off
   * @throws OutOfRange if rows do not fit
   */
  async place(pages: PageSequence, start: Place): Promise<{ readonly end: Place; readonly cutCount: number }> {
    const { object, path } = this.#table;
    const { structure, language } = this.#services;
    const isTagged = structure && !object.tag_is_artifact;
    const tags = isTagged ? new TableTags(structure, language) : undefined;
    const painter = new TablePainter(this.#services, { edges: this.#edges(), isRightToLeft: object.is_rtl }, tags);
    const layOut = (rows: readonly GridRow[]) => this.#layOut(rows);
    const whole = (rows: readonly GridRow[]) => (rows.length > 0 ? layOut(rows) : undefined);
    const { header_rows, rows, footer_rows } = this.#grid;
    const [header, footer] = [await whole(header_rows), await whole(footer_rows)];
    const table = { object, path, header, footer, bodyRows: [...groupsOf(rows)], layOut };
    const end = await new TableFlow(table, painter, pages, start).place();
    return { end: { ...end, y: end.y - object.spacing_after }, cutCount: painter.cutCount };
  }

  /** Returns the edges of the columns from left to right. */
  #edges(): readonly number[] {
    const edges = [this.sides.left];
    const widths = this.#table.object.is_rtl ? this.#widths.toReversed() : this.#widths;
    for (const width of widths) edges.push(edges.at(-1)! + width);
    return edges;
  }

  async #layOut(rows: readonly GridRow[]): Promise<RowGroup> {
    checkLength(rows);
    const contents = [];
    for (const cell of rows.flatMap(({ cells }) => cells)) {
      await this.#services.pace(cell);
      const width = sumOf(this.#widths.slice(cell.column, cell.column + cell.source.col_span));
      const inner = innerWidthOf(width, cell.look);
      const { typesetter, signal } = this.#services;
      const image = this.#services.imageOf(cell);
      contents.push(await contentOf(cell, inner, this.#table.object.is_rtl, { typesetter, image, signal }));
    }
    return RowGroup.of(rows, contents);
  }
}

/** @throws OutOfRange if rows, all of which are in memory at the same time, have too much text */
function checkLength(rows: readonly GridRow[]): void {
  const length = rows.flatMap(({ cells }) => cells).reduce((sum, { source }) => sum + (source.text?.length ?? 0), 0);
  if (length > LIMITS.tableRowTextLength) throw new OutOfRange(rows[0]!.path, String(length), TOO_LONG);
}

const sumOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0);
const rounded = (points: number): number => Math.round(points * 100) / 100;

/** @throws OutOfRange if the declared columns contradict the declared width */
function checkWidth({ object, path }: NamedTable): void {
  const { width, columns = [], width_mode } = object;
  if (width === undefined || width_mode === "relative") return;
  const declared = sumOf(columns.map((column) => column.width ?? 0));
  const isComplete = columns.length > 0 && columns.every((column) => column.width !== undefined);
  if (declared <= width + TOLERANCE && (!isComplete || declared >= width - TOLERANCE)) return;
  throw new OutOfRange(`${path}.width`, String(width), `The columns are ${rounded(declared)} points wide.`);
}

/** Returns the maximum width of a table whose width is not declared. */
function spaceFor({ x, horizontal_align: align = "left" }: TableObject, page: PageSize): number {
  if (x === undefined) return page.width;
  const space = { left: page.width - x, center: 2 * Math.min(x, page.width - x), right: Math.min(x, page.width) };
  return Math.max(0, space[align]);
}

/** Returns the left side of a table: `x` is the position of the side, or of the center, that is aligned. */
function leftOf({ x, horizontal_align: align = "left" }: TableObject, page: PageSize, width: number): number {
  const share = { left: 0, center: 0.5, right: 1 }[align];
  return (x ?? page.width * share) - width * share;
}

async function measure(cell: GridCell, isTableRightToLeft: boolean, { typesetter, imageOf, signal }: TableServices) {
  const image = imageOf(cell);
  if (image) {
    const { width } = sizeOf(image, cell.source.image);
    return { narrowest: Math.min(width, cell.source.image?.width ?? 0), widest: width };
  }
  const text = textOf(cell, { isTableRightToLeft });
  if (!text) return { narrowest: 0, widest: 0 };
  const widths = await typesetter.measureWidths(text, signal);
  return cell.source.no_wrap ? { ...widths, narrowest: widths.widest } : widths;
}

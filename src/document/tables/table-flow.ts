// Places the rows of a table on a page and on the pages that follow it. Decision 71 describes the algorithm.
import { OutOfRange } from "../contract/failure.ts";
import { TOLERANCE } from "./cell-content.ts";
import type { GridRow } from "./grid.ts";
import type { PlacedRows, RowGroup } from "./row-group.ts";
import type { TableObject } from "./table-object.ts";
import type { TablePainter } from "./table-painter.ts";

/** A place on a page of a sequence. */
export interface Place {
  /** Index of the page: 0 for the page of the document, from 1 for those made for tables. */
  readonly index: number;
  /** In points from the lower edge of the page. */
  readonly y: number;
}

/** A page of the document, and the pages made after it. */
export interface PageSequence {
  readonly height: number;
  /** Returns the number of a page. Makes it if it does not exist. @throws OutOfRange if there are too many */
  numberOf(index: number): number;
}

/** A table whose rows are laid out when they are needed. */
export interface FlowingTable {
  readonly object: TableObject;
  /** Name in errors. */
  readonly path: string;
  readonly header: RowGroup | undefined;
  readonly footer: RowGroup | undefined;
  /** The rows between header and footer. */
  readonly bodyRows: readonly (readonly GridRow[])[];
  layOut(rows: readonly GridRow[]): Promise<RowGroup>;
}

const TALL = "The row is taller than the space on a page.";

export class TableFlow {
  readonly #table: FlowingTable;
  readonly #painter: TablePainter;
  readonly #pages: PageSequence;
  #index: number;
  #y: number;
  /** True if the current page shows rows. */
  #isBegun = false;
  /** Number of pages that already show rows. */
  #shown = 0;
  #isHeaderRead = false;
  #isFooterRead = false;

  constructor(table: FlowingTable, painter: TablePainter, pages: PageSequence, { index, y }: Place) {
    this.#table = table;
    this.#painter = painter;
    this.#pages = pages;
    [this.#index, this.#y] = [index, y];
  }

  /** @returns the end of the table. @throws OutOfRange if a row does not fit on a page, or the table on its page */
  async place(): Promise<Place> {
    const { object, bodyRows, layOut, footer } = this.#table;
    if (object.keep_table_block_together) await this.#keepTogether();
    for (const [index, rows] of bodyRows.entries()) {
      await this.#placeGroup(await layOut(rows), index === bodyRows.length - 1);
    }
    if (footer && object.show_footer_on_last_page) {
      if (footer.height > this.#y - this.#finalMargin + TOLERANCE) await this.#nextPage();
      await this.#draw(footer, false);
    }
    this.#end();
    return { index: this.#index, y: this.#y };
  }

  get #finalMargin(): number {
    const { page_bottom_margin, final_page_bottom_margin } = this.#table.object;
    return final_page_bottom_margin ?? page_bottom_margin;
  }

  get #topOfNext(): number {
    return this.#pages.height - this.#table.object.continuation_page_top_margin;
  }

  /** True if a further page offers no more space than the rest of this one. */
  get #isFresh(): boolean {
    return !this.#isBegun && this.#y >= this.#topOfNext - TOLERANCE;
  }

  /** The header of a page, if it has one. @param isFirst true for the first page with rows */
  #headerOf(isFirst: boolean): RowGroup | undefined {
    const { header, object } = this.#table;
    return (isFirst ? object.show_header_on_first_page : object.repeat_header_on_overflow) ? header : undefined;
  }

  /** The header that precedes the next row, unless the page already shows rows. */
  get #pendingHeader(): RowGroup | undefined {
    return this.#isBegun ? undefined : this.#headerOf(this.#shown === 0);
  }

  /** Returns the height for further rows on this page. @param isLast true if the footer must fit below them */
  #room(isLast: boolean): number {
    return this.#y - (this.#pendingHeader?.height ?? 0) - this.#reserve(isLast);
  }

  /** Returns the height for rows on the next page. */
  #roomOnNext(isLast: boolean): number {
    const isFirst = this.#shown === 0 && !this.#isBegun;
    return this.#topOfNext - (this.#headerOf(isFirst)?.height ?? 0) - this.#reserve(isLast);
  }

  #reserve(isLast: boolean): number {
    const { footer, object } = this.#table;
    const hasFooter = isLast ? object.show_footer_on_last_page : object.repeat_footer_on_overflow;
    const margin = isLast ? this.#finalMargin : object.page_bottom_margin;
    return margin + (hasFooter ? (footer?.height ?? 0) : 0);
  }

  /** Starts on the next page if the whole table fits there, but not here. */
  async #keepTogether(): Promise<void> {
    const { bodyRows, layOut } = this.#table;
    let height = 0;
    for (const rows of bodyRows) {
      height += (await layOut(rows)).height;
      if (height > this.#roomOnNext(true) + TOLERANCE) return;
    }
    if (height > this.#room(true) + TOLERANCE) await this.#nextPage();
  }

  async #placeGroup(whole: RowGroup, isLast: boolean): Promise<void> {
    const { overflow_behavior: behavior, row_split_behavior: preference } = this.#table.object;
    let group = whole;
    while (group.height > this.#room(isLast) + TOLERANCE) {
      if (behavior === "fail") throw this.#overflow();
      const room = this.#room(false);
      const isFresh = this.#isFresh;
      const divides =
        behavior === "split-row" && (preference === "split-when-needed" || group.height > this.#roomOnNext(isLast));
      const parts = divides || isFresh ? group.divide(room, behavior === "split-row") : undefined;
      if (parts) {
        await this.#drawBody(parts.placed);
        group = parts.rest;
      } else if (isFresh && group.height <= room + TOLERANCE) break;
      else if (isFresh) throw new OutOfRange(group.rows[0]!.path, String(Math.ceil(group.height)), TALL);
      await this.#nextPage();
    }
    await this.#drawBody(group);
  }

  async #drawBody(rows: PlacedRows): Promise<void> {
    const header = this.#pendingHeader;
    if (header) {
      await this.#draw(header, this.#isHeaderRead);
      this.#isHeaderRead = true;
    }
    await this.#draw(rows, false);
  }

  async #draw(rows: PlacedRows, isRepeated: boolean): Promise<void> {
    if (!this.#isBegun) this.#painter.begin(this.#pages.numberOf(this.#index), this.#y);
    this.#isBegun = true;
    await this.#painter.draw(rows, isRepeated);
    this.#y -= rows.heights.reduce((sum, height) => sum + height, 0);
  }

  #overflow(): OutOfRange {
    return new OutOfRange(`${this.#table.path}.overflow_behavior`, "fail", "The table does not fit on its page.");
  }

  async #nextPage(): Promise<void> {
    const { object, footer } = this.#table;
    if (object.overflow_behavior === "fail") throw this.#overflow();
    if (footer && object.repeat_footer_on_overflow && this.#isBegun) {
      await this.#draw(footer, object.show_footer_on_last_page || this.#isFooterRead);
      this.#isFooterRead = true;
    }
    this.#end();
    this.#index++;
    this.#y = this.#topOfNext;
  }

  #end(): void {
    if (!this.#isBegun) return;
    this.#painter.end();
    this.#isBegun = false;
    this.#shown++;
  }
}

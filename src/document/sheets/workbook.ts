// The tables of a document as the sheets of a workbook, or its lines of text if it has no table.
import { EngineFailure } from "../contract/failure.ts";
import { LIMITS } from "../contract/limits.ts";
import { MAX_ROWS, type Sheet, type SheetCell } from "../formats/xlsx/sheet.ts";
import { linesIn, type PageLayout } from "../layout/lines/blocks.ts";
import { lineText } from "../layout/lines/plain-text.ts";
import { Columns, type ReadRow, readRows, type Writing } from "./sheet-rows.ts";
import { type TablePart, TableParts } from "./table-parts.ts";

/** Number of rows of a table that are read before its columns are known. */
const HELD_ROWS = 1000;
/** Width of the column with lines of text, in characters. */
const TEXT_WIDTH = 100;

export class Workbook {
  readonly #writing: Writing;
  readonly #parts: AsyncGenerator<TablePart>;
  #next: TablePart | undefined;
  /** The lines of text of the pages before the first table. */
  #lines: string[] = [];
  #characters = 0;
  #tableCount = 0;

  constructor(pages: AsyncIterable<PageLayout>, writing: Writing) {
    this.#writing = writing;
    this.#parts = this.#read(pages);
  }

  /** False if the sheets have lines of text. Known after the last sheet. */
  get hasTables(): boolean {
    return this.#tableCount > 0;
  }

  /** @throws EngineFailure `too-large` if the text of a document without tables exceeds the memory for it */
  async *sheets(): AsyncGenerator<Sheet> {
    await this.#advance();
    while (this.#next) yield await this.#tableSheet(this.#next);
    if (!this.hasTables) yield textSheet(this.#lines);
  }

  async *#read(pages: AsyncIterable<PageLayout>): AsyncGenerator<TablePart> {
    const parts = new TableParts();
    for await (const page of pages) {
      for (const part of parts.of(page)) {
        this.#lines = [];
        this.#tableCount++;
        yield part;
      }
      if (!this.hasTables) this.#addLines(page);
    }
  }

  #addLines({ blocks }: PageLayout): void {
    const lines = blocks.flatMap(linesIn).map(lineText);
    this.#characters += lines.reduce((sum, { length }) => sum + length, 0);
    if (this.#characters > LIMITS.extractedTextBytes) throw new EngineFailure("too-large", "the text is too long");
    this.#lines.push(...lines);
  }

  async #advance(): Promise<void> {
    this.#next = (await this.#parts.next()).value as TablePart | undefined;
  }

  /** Reads the first rows of a table, and returns its sheet. */
  async #tableSheet(first: TablePart): Promise<Sheet> {
    const pages = { first: first.page, last: first.page };
    this.#sheetCount++;
    const number = this.#sheetCount;
    const held: ReadRow[] = [];
    let rowCount = 0;
    const take = async (): Promise<readonly ReadRow[]> => {
      const part = this.#next!;
      const rows = readRows(part, this.#writing);
      pages.last = part.page;
      rowCount += rows.length;
      await this.#advance();
      return rows;
    };
    const goesOn = () => this.#next?.isContinuation === true && rowCount + this.#next.rows.length <= MAX_ROWS;
    do held.push(...(await take()));
    while (goesOn() && held.length < HELD_ROWS);
    const columns = new Columns(held, first.columnCount);
    return {
      widths: columns.widths,
      name: () => nameOf(number, pages),
      rows: (async function* (): AsyncGenerator<readonly SheetCell[]> {
        for (const row of held.splice(0)) yield columns.rowOf(row);
        while (goesOn()) for (const row of await take()) yield columns.rowOf(row);
      })(),
    };
  }

  #sheetCount = 0;
}

const nameOf = (number: number, { first, last }: { readonly first: number; readonly last: number }): string =>
  `Table ${number} (${first === last ? `page ${first}` : `pages ${first}-${last}`})`;

const textSheet = (lines: readonly string[]): Sheet => ({
  widths: [TEXT_WIDTH],
  name: () => "Text",
  rows: lines.slice(0, MAX_ROWS).map((value) => [{ column: 0, columnSpan: 1, rowSpan: 1, value }]),
});

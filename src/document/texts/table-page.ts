// Prints a table of values: its columns as wide as their texts need, on paper that is wide enough, with numbers aligned.

import type { SeparatedValues } from "../formats/csv/read.ts";
import { colorOf, escaped, familiesOf, type PageLayout, type Typography } from "./page.ts";

/** Appearance of tables that a client chose. */
export interface TableLook {
  readonly column_width_weights?: readonly number[];
  readonly keep_header_with_first_row?: boolean;
  readonly repeat_headers_on_overflow?: boolean;
  readonly show_borders?: boolean;
  /** In points. */
  readonly border_width?: number;
  readonly border_color_rgb?: readonly number[];
  readonly header_fill_color_rgb?: readonly number[];
  readonly header_text_color_rgb?: readonly number[];
  readonly row_fill_color_rgb?: readonly number[];
  readonly alternate_row_fill_color_rgb?: readonly number[];
  readonly cell_padding?: {
    readonly top?: number;
    readonly right?: number;
    readonly bottom?: number;
    readonly left?: number;
  };
}

export interface ColumnLook {
  readonly index: number;
  readonly text_align?: "left" | "center" | "right";
  readonly width_weight?: number;
}

interface TableOptions {
  readonly look: TableLook;
  readonly columns: readonly ColumnLook[];
  readonly hasHeader: boolean;
  readonly typography: Typography;
  readonly layout: PageLayout;
  /** True if the paper can be turned for a wide table. */
  readonly isTurnable: boolean;
}

/** Sizes of text, from the preferred to the smallest, in points. */
const SIZES_PT = [9, 8.5, 8, 7.5, 7, 6.5, 6];
/** Usual width of a letter, as part of the text size. */
const LETTER_WIDTH = 0.52;
/** Part of a cell beside its text, in points. */
const PADDING_PT = 8;
/** Width of a column in letters: a longer text has several lines. */
const COLUMN_LETTERS = { min: 3, max: 36, narrow: 12 };
/** Rows that determine the widths and kinds of columns. */
const MEASURED_ROWS = 2000;
/** Least part of a column's values that are numbers, if it is aligned as numbers. */
const NUMBER_PART = 0.8;
/** Matches a number in the notations of most countries, with a currency, a percent sign or in parentheses. */
const NUMBER =
  /^\(?[-+−]?\s?(?:[$€£¥]\s?)?[-+−]?(?:\d[\d.,'’\u00a0\u202f ]*|[.,]\d+)(?:[eE][-+]?\d+)?\s?(?:[%$€£¥])?\)?-?$/;

const isNumber = (value: string): boolean => value.length < 40 && NUMBER.test(value);

/** Rows of an element: the browser divides an element with thousands of others slowly into pages. Even, for stripes. */
const ROWS_AT_ONCE = 100;
/** Cells and length of a part that the browser prints at once. It needs 1.5 GB for 70,000 cells, or 4,000,000 characters. */
const PART = { cells: 30_000, length: 1_500_000 };

type Rows = readonly (readonly string[])[];

/** The page of a table. */
interface TablePage {
  readonly layout: PageLayout;
  readonly styles: string;
  readonly body: Iterable<string>;
  /** Further parts of a table that is too large to be printed at once. */
  readonly parts: readonly Iterable<string>[];
}

export function tablePage({ rows, columnCount }: SeparatedValues, options: TableOptions): TablePage {
  const needs = Array.from({ length: columnCount }, (_, column) => lettersOf(rows, column));
  const fitted = fittedTo(needs, options);
  const { layout, sizePt, bands } = fitted;
  const classes = needs.map((_, index) => classOf(options.hasHeader ? rows.slice(1) : rows, options.columns, index));
  const parts = partsOf(rows, options);
  const columns = columnsOf(needs, classes, parts.length > 1, options);
  const [body = [], ...others] = parts.map((part) => bodyOf(part, columns, bands));
  return { layout, styles: tableStyles(options, sizePt), body, parts: others };
}

interface Part {
  readonly header: readonly string[] | undefined;
  readonly rows: Rows;
}

/** Divides a table between rows. Parts have an even number of rows, so that stripes continue. */
function partsOf(rows: Rows, { look, hasHeader }: TableOptions): Part[] {
  const header = hasHeader ? rows[0] : undefined;
  const parts: { header: Part["header"]; rows: (readonly string[])[] }[] = [{ header, rows: [] }];
  let [cells, length] = [0, 0];
  for (const row of hasHeader ? rows.slice(1) : rows) {
    if ((cells >= PART.cells || length >= PART.length) && parts.at(-1)!.rows.length % 2 === 0) {
      parts.push({ header: look.repeat_headers_on_overflow === false ? undefined : header, rows: [] });
      [cells, length] = [0, 0];
    }
    parts.at(-1)!.rows.push(row);
    cells += row.length;
    for (const value of row) length += value.length;
  }
  return parts;
}

/** Returns the letters that a column needs: those of nearly all of its values, and of its longest word. */
function lettersOf(rows: Rows, column: number): number {
  const lengths = rows.slice(0, MEASURED_ROWS).map((row) => widthOf(row[column] ?? ""));
  lengths.sort((one, other) => one - other);
  const usual = lengths[Math.floor(lengths.length * 0.98)] ?? 0;
  return Math.min(COLUMN_LETTERS.max, Math.max(COLUMN_LETTERS.min, usual));
}

/** Returns the length of the longest line of a text, in letters. Letters of East Asia count twice. */
function widthOf(text: string): number {
  let longest = 0;
  for (const line of text.slice(0, 500).split("\n")) {
    const wide =
      line.match(/[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/g)?.length ?? 0;
    longest = Math.max(longest, line.length + wide);
  }
  return longest;
}

interface Fitted {
  readonly layout: PageLayout;
  readonly sizePt: number;
  /** Ranges of columns that are printed one below the other, because the paper is too narrow for all. */
  readonly bands: readonly { readonly start: number; readonly end: number }[];
}

/** Chooses the largest type, then the upright paper; a table that is too wide is divided into bands of columns. */
function fittedTo(needs: readonly number[], { layout, isTurnable, typography }: TableOptions): Fitted {
  const layouts = isTurnable && layout.width < layout.height ? [layout, turned(layout)] : [layout];
  const sizes = typography.text_size === undefined ? SIZES_PT : [typography.text_size];
  const whole = [{ start: 0, end: needs.length }];
  const widthAt = (sizePt: number, most: number, start = 0, end = needs.length) =>
    needs.slice(start, end).reduce((sum, need) => sum + Math.min(need, most) * sizePt * LETTER_WIDTH + PADDING_PT, 0);
  for (const most of [COLUMN_LETTERS.max, COLUMN_LETTERS.narrow]) {
    for (const sizePt of sizes) {
      for (const candidate of layouts) {
        if (widthAt(sizePt, most) <= roomOf(candidate)) return { layout: candidate, sizePt, bands: whole };
      }
    }
  }
  const last = layouts.at(-1)!;
  const sizePt = sizes.at(-1)!;
  const bands: { start: number; end: number }[] = [];
  for (let start = 0; start < needs.length; start = bands.at(-1)!.end) {
    let end = start + 1;
    while (end < needs.length && widthAt(sizePt, COLUMN_LETTERS.narrow, start, end + 1) <= roomOf(last)) end++;
    bands.push({ start, end });
  }
  return { layout: last, sizePt, bands };
}

const roomOf = ({ width, margin }: PageLayout): number => width - margin.left - margin.right;

const turned = ({ width, height, margin }: PageLayout): PageLayout => ({ width: height, height: width, margin });

function tableStyles({ look, typography }: TableOptions, sizePt: number): string {
  return `${tableRules("table", look)}
    body { font-family: ${familiesOf(typography, false)}; font-size: ${sizePt}pt; line-height: 1.3;
      ${typography.text_color_rgb ? `color: ${colorOf(typography.text_color_rgb)};` : ""} }
    table + table { margin-top: 18pt; }
    td, th { white-space: pre-wrap; unicode-bidi: plaintext; }
    .n { text-align: right; font-variant-numeric: tabular-nums; }
    .c { text-align: center; }
    .l { text-align: left; }`;
}

/** Returns the rules of tables. @param selector selects the tables */
export function tableRules(selector: string, look: TableLook): string {
  const { show_borders = true, border_width = 0.5, border_color_rgb: border = [200, 205, 212] } = look;
  const { header_fill_color_rgb: header = [240, 242, 245], header_text_color_rgb: headerText } = look;
  const { row_fill_color_rgb: row, alternate_row_fill_color_rgb: alternate, cell_padding: padding = {} } = look;
  const { top = 2.5, right = 4, bottom = 2.5, left = 4 } = padding;
  const fill = (name: string, rgb: readonly number[] | undefined) =>
    rgb ? `${selector} ${name} { background: ${colorOf(rgb)}; }\n` : "";
  return `${selector} { border-collapse: collapse; max-width: 100%; }
    ${selector} td, ${selector} th { vertical-align: top; padding: ${top}pt ${right}pt ${bottom}pt ${left}pt;
      border: ${show_borders ? `${border_width}pt solid ${colorOf(border)}` : "0"}; overflow-wrap: anywhere; }
    ${selector} tr { break-inside: avoid; }
    ${selector} thead { display: ${look.repeat_headers_on_overflow === false ? "table-row-group" : "table-header-group"};
      ${look.keep_header_with_first_row === false ? "" : "break-after: avoid;"} }
    ${selector} th { font-weight: bold; background: ${colorOf(header)};
      ${headerText ? `color: ${colorOf(headerText)};` : ""} }
    ${fill("tbody tr", row)}${fill("tbody tr:nth-child(even)", alternate)}`;
}

interface Columns {
  readonly classes: readonly string[];
  readonly weights: readonly number[];
  /** True if the browser does not choose the widths. */
  readonly isFixed: boolean;
}

function columnsOf(
  needs: readonly number[],
  classes: readonly string[],
  hasParts: boolean,
  { look, columns }: TableOptions,
): Columns {
  const weights = needs.map(
    (need, index) =>
      columns.find((column) => column.index === index)?.width_weight ??
      look.column_width_weights?.[index] ??
      (hasWeights(look, columns) ? 1 : need),
  );
  return { classes, weights, isFixed: hasParts || hasWeights(look, columns) };
}

function* bodyOf(
  { header, rows }: Part,
  { classes, weights, isFixed }: Columns,
  bands: Fitted["bands"],
): Generator<string> {
  const cellsOf = (row: readonly string[], tag: string, start: number, end: number) => {
    let cells = "";
    for (let index = start; index < end; index++) {
      const name = classes[index] === "" ? "" : ` class="${classes[index]}"`;
      cells += `<${tag}${name}>${escaped(row[index] ?? "")}</${tag}>`;
    }
    return `<tr>${cells}</tr>\n`;
  };
  for (const { start, end } of bands) {
    const total = weights.slice(start, end).reduce((sum, weight) => sum + weight, 0);
    yield `<table${isFixed ? ' style="width:100%;table-layout:fixed"' : ""}><colgroup>`;
    for (let index = start; index < end; index++) {
      yield isFixed ? `<col style="width:${((100 * weights[index]!) / total).toFixed(3)}%">` : "<col>";
    }
    yield "</colgroup>";
    if (header) yield `<thead>${cellsOf(header, "th", start, end)}</thead>`;
    yield "<tbody>";
    for (const [index, row] of rows.entries()) {
      if (index > 0 && index % ROWS_AT_ONCE === 0) yield "</tbody><tbody>";
      yield cellsOf(row, "td", start, end);
    }
    yield "</tbody></table>";
  }
}

const hasWeights = (look: TableLook, columns: readonly ColumnLook[]): boolean =>
  look.column_width_weights !== undefined || columns.some(({ width_weight }) => width_weight !== undefined);

function classOf(body: Rows, columns: readonly ColumnLook[], index: number): string {
  const chosen = columns.find((column) => column.index === index)?.text_align;
  if (chosen) return chosen === "right" ? "n" : chosen === "center" ? "c" : "l";
  const values = body.slice(0, MEASURED_ROWS).flatMap((row) => row[index]?.trim() || []);
  const numbers = values.filter(isNumber).length;
  return numbers > 0 && numbers >= values.length * NUMBER_PART ? "n" : "";
}

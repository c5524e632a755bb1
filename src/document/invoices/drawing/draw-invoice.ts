// Draws an invoice on A4 pages: seller, buyer, dates, lines, taxes, totals and payment.
import type { ImageForm } from "../../pages/image-form.ts";
import type { OpenPdf } from "../../pages/open-pdf.ts";
import type { SetText, Typesetter } from "../../typesetting/typesetter.ts";
import type { Formats } from "./formats.ts";
import type { InvoiceData, InvoiceLine, Party } from "./invoice-data.ts";
import { type Labels, titleOf } from "./labels.ts";
import { MARGIN, RIGHT, Sheets, type SheetText } from "./sheet.ts";

export interface InvoiceLook {
  readonly labels: Labels;
  readonly formats: Formats;
  readonly font: Pick<SetText, "font" | "fontName">;
  readonly boldFont: Pick<SetText, "font" | "fontName">;
  /** Components from 0 to 1. */
  readonly accent: readonly number[];
  readonly logo: ImageForm | undefined;
}

type Kind = "body" | "small" | "bold" | "title";
interface Placement {
  readonly width?: number;
  readonly align?: "left" | "right";
}

const SIZES: Readonly<Record<Kind, number>> = { body: 9.5, small: 8, bold: 9.5, title: 18 };
const BLACK = [0, 0, 0];
const GRAY = [0.35, 0.35, 0.35];
const LOGO = { width: 180, height: 56 };
/** Left edge of the seller, of the dates and of the totals. */
const SECOND_COLUMN = 335;
const GAP = 6;
/** Space between the lines of an address. */
const LEADING = 1.5;
/** Shares of the second column that labels fill: references are longer than amounts. */
const LABEL_SHARE = { facts: 0.42, totals: 0.6 };
const SECTION_GAP = 18;
const COLUMN_GAP = 5;
/** Widths of the column of line numbers, which are often words. */
const NUMBER_WIDTH = { least: 28, most: 80, perCharacter: 5.5 };
/** Columns of the table of lines after the first two: left edge and width. Numbers are aligned to the right. */
const NUMERIC_COLUMNS = [
  ["quantity", 268, 78, "right"],
  ["price", 351, 75, "right"],
  ["rate", 428, 39, "right"],
  ["amount", 472, RIGHT - 472, "right"],
] as const;
type Column = readonly [(typeof NUMERIC_COLUMNS)[number][0] | "line" | "item", number, number, "left" | "right"];

/** Replaces the pages of a document. */
export async function drawInvoice(
  pdf: OpenPdf,
  data: InvoiceData,
  { look, typesetter, signal }: { look: InvoiceLook; typesetter: Typesetter; signal: AbortSignal },
): Promise<void> {
  const drawing = new Drawing(new Sheets(pdf, typesetter), data, look, typesetter, signal);
  await drawing.head();
  await drawing.lines();
  await drawing.totals();
  await drawing.end();
}

class Drawing {
  readonly #sheets: Sheets;
  readonly #data: InvoiceData;
  readonly #look: InvoiceLook;
  readonly #typesetter: Typesetter;
  readonly #signal: AbortSignal;

  constructor(sheets: Sheets, data: InvoiceData, look: InvoiceLook, typesetter: Typesetter, signal: AbortSignal) {
    this.#sheets = sheets;
    this.#data = data;
    this.#look = look;
    this.#typesetter = typesetter;
    this.#signal = signal;
  }

  async head(): Promise<void> {
    const { labels, formats, logo, accent } = this.#look;
    const { seller, buyer, recipient, ...data } = this.#data;
    const sheets = this.#sheets;
    if (logo) placeLogo(sheets, logo);
    await this.#column(this.#partyLines(seller, true), SECOND_COLUMN);
    sheets.y = Math.max(sheets.y, MARGIN + LOGO.height) + SECTION_GAP;
    const facts = [
      [labels.number, data.number],
      [labels.date, formats.date(data.date)],
      [labels.delivery, formats.date(data.deliveryDate)],
      [labels.period, data.period.map((day) => formats.date(day)).join(" – ")],
      [labels.due, formats.date(data.dueDate)],
      [labels.reference, data.buyerReference],
      [labels.order, data.orderNumber],
    ].filter(([, value]) => value !== "") as [string, string][];
    const top = sheets.y;
    await this.#column(this.#partyLines(buyer, false), MARGIN);
    await this.#recipient(recipient);
    const left = sheets.y;
    sheets.y = top;
    for (const [label, value] of facts) await this.#pair(label, value, "body", LABEL_SHARE.facts);
    sheets.y = Math.max(sheets.y, left) + SECTION_GAP;
    const title = await this.#set(`${titleOf(data.type, labels)} ${data.number}`, "title", { width: RIGHT - MARGIN });
    sheets.text(title, MARGIN);
    sheets.y += heightOf(title) + GAP;
    sheets.rule(MARGIN, RIGHT, accent, 1.5);
    sheets.y += GAP;
  }

  /** Draws the lines in a table, whose header is repeated on each page. */
  async lines(): Promise<void> {
    const { labels } = this.#look;
    if (this.#data.lines.length === 0) return;
    const columns = columnsFor(this.#data.lines);
    const header = await Promise.all(
      columns.map(([column, , width, align]) => this.#set(labels[column], "bold", { width, align })),
    );
    this.#row(header, columns);
    for (const line of this.#data.lines.flatMap(withShortTexts)) {
      this.#signal.throwIfAborted();
      const row: SheetText[] = [];
      for (const [column, , width, align] of columns) {
        row.push(await this.#set(this.#cell(line, column), "body", { width, align }));
      }
      if (!this.#sheets.fits(rowHeight(row))) {
        this.#sheets.addPage();
        this.#row(header, columns);
      }
      this.#row(row, columns);
    }
  }

  async totals(): Promise<void> {
    const { labels, formats, accent } = this.#look;
    const { totals, taxes } = this.#data;
    const sheets = this.#sheets;
    const amounts: [string, string][] = (["lines", "charges", "allowances", "basis"] as const).map((name) => [
      labels[name],
      formats.money(totals[name]),
    ]);
    for (const { rate, basis, amount } of taxes) {
      amounts.push([
        `${labels.tax} ${formats.percent(rate)} % ${labels.taxOn} ${formats.amount(basis)}`,
        formats.money(amount),
      ]);
    }
    if (taxes.length === 0) amounts.push([labels.tax, formats.money(totals.tax)]);
    for (const name of ["grand", "prepaid", "rounding"] as const) {
      amounts.push([labels[name], formats.money(totals[name])]);
    }
    sheets.y += GAP;
    for (const [label, value] of amounts) if (value !== "") await this.#pair(label, value, "body");
    sheets.y += GAP / 2;
    sheets.rule(SECOND_COLUMN, RIGHT, accent, 1);
    sheets.y += GAP / 2;
    await this.#pair(labels.payable, formats.money(totals.due), "bold");
    sheets.y += SECTION_GAP;
  }

  /** Draws payment and notes, and numbers the pages. */
  async end(): Promise<void> {
    const { labels } = this.#look;
    const { payment, notes, taxes } = this.#data;
    const accounts = payment.accounts.map(({ iban, bic }) =>
      [iban && `IBAN ${iban}`, bic && `BIC ${bic}`].filter(Boolean).join(", "),
    );
    const payee = [payment.payee.name, ...payment.payee.address].filter(Boolean).join(", ");
    const paragraphs = [...new Set([payee && `${labels.payee}: ${payee}`, ...accounts, payment.terms])].filter(Boolean);
    if (paragraphs.length > 0) await this.#paragraph(labels.payment, "bold");
    for (const text of paragraphs) await this.#paragraph(text, "body");
    this.#sheets.y += GAP;
    for (const text of new Set([...taxes.map(({ reason }) => reason), ...notes])) {
      if (text !== "") await this.#paragraph(text, "small");
    }
    const count = this.#sheets.pageCount;
    for (let index = 0; index < count; index++) {
      this.#sheets.footer(index, await this.#set(`${labels.page} ${index + 1} / ${count}`, "small"));
    }
    this.#sheets.finish();
  }

  #cell(line: InvoiceLine, column: Column[0]): string {
    const { formats } = this.#look;
    const texts = {
      line: line.number,
      item: line.name,
      quantity: formats.quantity(line.quantity, line.unit),
      price: [formats.price(line.price), formats.quantity(line.priceQuantity, "")].filter(Boolean).join(" / "),
      rate: formats.percent(line.rate),
      amount: formats.amount(line.amount),
    };
    return texts[column];
  }

  #row(cells: readonly SheetText[], columns: readonly Column[]): void {
    const sheets = this.#sheets;
    for (const [index, cell] of cells.entries()) sheets.text(cell, columns[index]![1]);
    sheets.y += rowHeight(cells) - GAP / 2;
    sheets.rule(MARGIN, RIGHT, [0.8, 0.8, 0.8]);
    sheets.y += GAP / 2;
  }

  /** Draws the party to which goods are delivered below the buyer. */
  async #recipient({ name, address }: Party): Promise<void> {
    const lines = [name, ...address].filter(Boolean);
    if (lines.length === 0) return;
    this.#sheets.y += GAP;
    await this.#column(
      [[this.#look.labels.recipient, "small"], ...lines.map((text) => [text, "body"] as const)],
      MARGIN,
    );
  }

  #partyLines({ name, address, taxNumbers, contact }: Party, isSeller: boolean): readonly (readonly [string, Kind])[] {
    const taxes = taxNumbers.length > 0 ? [`${this.#look.labels.taxNumber}: ${taxNumbers.join(", ")}`] : [];
    const others = isSeller ? [...taxes, ...contact] : [...contact, ...taxes];
    return [
      [name, "bold"],
      ...address.map((text) => [text, "body"] as const),
      ...others.map((text) => [text, "small"] as const),
    ];
  }

  async #column(lines: readonly (readonly [string, Kind])[], x: number): Promise<void> {
    for (const [text, kind] of lines) {
      const form = await this.#set(text, kind, { width: RIGHT - SECOND_COLUMN });
      this.#sheets.text(form, x);
      this.#sheets.y += heightOf(form) + LEADING;
    }
  }

  /** Draws a label and its value in the second column, on the next page if they do not fit. */
  async #pair(label: string, value: string, kind: Kind, share = LABEL_SHARE.totals): Promise<void> {
    const width = (RIGHT - SECOND_COLUMN) * share;
    const name = await this.#set(label, kind, { width });
    const text = await this.#set(value, kind, { width: RIGHT - SECOND_COLUMN - width, align: "right" });
    const height = Math.max(heightOf(name), heightOf(text)) + 1;
    if (!this.#sheets.fits(height)) this.#sheets.addPage();
    this.#sheets.text(name, SECOND_COLUMN);
    this.#sheets.text(text, SECOND_COLUMN + width);
    this.#sheets.y += height;
  }

  async #paragraph(text: string, kind: Kind): Promise<void> {
    for (const part of partsOf(text, PARAGRAPH)) {
      const form = await this.#set(part, kind, { width: RIGHT - MARGIN });
      if (!this.#sheets.fits(heightOf(form))) this.#sheets.addPage();
      this.#sheets.text(form, MARGIN);
      this.#sheets.y += heightOf(form) + 2;
    }
  }

  async #set(text: string, kind: Kind, { width, align = "left" }: Placement = {}): Promise<SheetText> {
    const { font, boldFont, accent } = this.#look;
    const color = kind === "title" ? accent : kind === "small" ? GRAY : BLACK;
    const face = kind === "bold" || kind === "title" ? boldFont : font;
    const look = { ...face, text: text || " ", size: SIZES[kind], color, opacity: 1, align, maxWidth: width };
    return { block: await this.#typesetter.layOut(look, this.#signal), ink: look };
  }
}

function columnsFor(lines: readonly InvoiceLine[]): readonly Column[] {
  const { least, most, perCharacter } = NUMBER_WIDTH;
  const longest = Math.max(...lines.flatMap(({ number }) => number.split(/\s/)).map(({ length }) => length));
  const width = Math.min(most, Math.max(least, longest * perCharacter));
  const item = MARGIN + width + COLUMN_GAP;
  return [
    ["line", MARGIN, width, "left"],
    ["item", item, NUMERIC_COLUMNS[0][1] - COLUMN_GAP - item, "left"],
    ...NUMERIC_COLUMNS,
  ];
}

/** Parts of a text that are much shorter than a page. */
const PARAGRAPH = { lines: 20, characters: 1500 };
const CELL = { lines: 12, characters: 400 };

/** Divides a text that is too long for a page, between words where possible. */
function partsOf(text: string, { lines, characters }: typeof PARAGRAPH): readonly string[] {
  const rest = text.split(/\r\n|\r|\n/);
  const pieces = rest.flatMap(
    (line) => line.match(new RegExp(`.{1,${characters}}(?:\\s|$)|.{${characters}}`, "gu")) ?? "",
  );
  const parts: string[][] = [[]];
  for (const piece of pieces) {
    const last = parts.at(-1)!;
    const length = last.reduce((sum, { length: own }) => sum + own, piece.length);
    if (last.length > 0 && (last.length >= lines || length > characters)) parts.push([piece]);
    else last.push(piece);
  }
  return parts.map((part) => part.join("\n"));
}

/** Continues a line with a long description in further lines, which have no other texts. */
function withShortTexts(line: InvoiceLine): readonly InvoiceLine[] {
  const [first = "", ...others] = partsOf([line.name, line.description].filter(Boolean).join("\n"), CELL);
  const empty = {
    number: "",
    quantity: "",
    unit: "",
    price: "",
    priceQuantity: "",
    rate: "",
    amount: "",
    description: "",
  };
  return [{ ...line, name: first, description: "" }, ...others.map((name) => ({ ...empty, name }))];
}

const heightOf = ({ block }: SheetText): number => block.ascent + block.descent;
const rowHeight = (cells: readonly SheetText[]): number => Math.max(...cells.map(heightOf)) + GAP;

function placeLogo(sheets: Sheets, { reference, box, size }: ImageForm): void {
  const fit = Math.min(LOGO.width / size.width, LOGO.height / size.height);
  const [width, height] = [size.width * fit, size.height * fit];
  sheets.image(reference, [width / box.width, height / box.height], MARGIN, MARGIN, height);
}

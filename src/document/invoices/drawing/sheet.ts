// Pages on which texts, rules and images are placed from top to bottom. Texts are set first, so that their heights are
// known.

import { serializeNumber } from "../../objects/serialize.ts";
import type { Reference } from "../../objects/values.ts";
import { Dictionary, Name, PdfStream, plainBody } from "../../objects/values.ts";
import type { OpenPdf } from "../../pages/open-pdf.ts";
import { putPageTree } from "../../pages/page-tree.ts";
import type { TextBlock } from "../../typesetting/layout.ts";
import type { TextInk, TextWriter } from "../../typesetting/text-form.ts";
import type { Typesetter } from "../../typesetting/typesetter.ts";

/** A4 in points. */
const WIDTH = 595.276;
const HEIGHT = 841.89;
export const MARGIN = 50;
export const RIGHT = WIDTH - MARGIN;
const FOOTER = 30;

/** A text that is laid out. */
export interface SheetText {
  readonly block: TextBlock;
  readonly ink: Omit<TextInk, "opacity">;
}

interface Page {
  content: string;
  readonly writer: TextWriter;
  readonly images: Map<Reference, string>;
}

const numbers = (...values: readonly number[]): string => values.map(serializeNumber).join(" ");

export class Sheets {
  readonly #pdf: OpenPdf;
  readonly #typesetter: Typesetter;
  readonly #pages: Page[] = [];
  /** Distance from the upper edge of the page to the next content. */
  y = MARGIN;

  constructor(pdf: OpenPdf, typesetter: Typesetter) {
    this.#pdf = pdf;
    this.#typesetter = typesetter;
    this.addPage();
  }

  get pageCount(): number {
    return this.#pages.length;
  }

  addPage(): void {
    this.#pages.push({ content: "", writer: this.#typesetter.writer(), images: new Map() });
    this.y = MARGIN;
  }

  /** Reports whether content of a height fits on the page. */
  fits(height: number): boolean {
    return this.y + height <= HEIGHT - MARGIN - FOOTER;
  }

  /** Places a text with its upper left corner at a distance from the left and upper edges. */
  text(text: SheetText, x: number, y = this.y): void {
    this.#write(this.#pages.at(-1)!, text, x, HEIGHT - y - text.block.ascent);
  }

  /** Places a form of a size. */
  image(form: Reference, scale: readonly [number, number], x: number, y: number, height: number): void {
    const page = this.#pages.at(-1)!;
    const name = page.images.get(form) ?? `X${page.images.size}`;
    page.images.set(form, name);
    page.content += `q ${numbers(scale[0], 0, 0, scale[1], x, HEIGHT - y - height)} cm /${name} Do Q\n`;
  }

  /** Places a text at the lower edge of a page. @param index from 0 */
  footer(index: number, text: SheetText): void {
    this.#write(this.#pages[index]!, text, RIGHT - text.block.width, MARGIN);
  }

  /** Draws a horizontal rule. @param color components from 0 to 1 */
  rule(left: number, right: number, color: readonly number[], width = 0.5): void {
    const y = HEIGHT - this.y;
    const page = this.#pages.at(-1)!;
    page.content += `q ${numbers(...color)} RG ${numbers(width)} w ${numbers(left, y)} m ${numbers(right, y)} l S Q\n`;
  }

  /** Writes a text whose first baseline starts at a point. */
  #write(page: Page, { block, ink }: SheetText, x: number, y: number): void {
    const written = `q 1 0 0 1 ${numbers(x, y)} cm ${page.writer.textObject(block.lines, ink)} Q\n`;
    this.#pdf.budget.charge(written.length);
    page.content += written;
  }

  /** Writes the pages, which replace those of the document. */
  finish(): void {
    const { file, budget } = this.#pdf;
    const pages = this.#pages.map(({ content, writer, images }) => {
      budget.charge(2 * content.length);
      const objects = Object.fromEntries([...images].map(([form, name]) => [name, form]));
      return file.add(
        Dictionary.of({
          ...{ Type: Name.of("Page"), MediaBox: [0, 0, WIDTH, HEIGHT] },
          Resources: Dictionary.of({ Font: writer.resources(), XObject: Dictionary.of(objects) }),
          Contents: file.add(new PdfStream(new Dictionary(), plainBody(Buffer.from(content, "latin1")))),
        }),
      );
    });
    file.catalog = file.catalog.clone().set("Pages", putPageTree(file, pages));
  }
}

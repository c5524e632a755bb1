// Pages on which texts, rules and images are placed from top to bottom. Texts are set first, so that their heights are
// known.

import { serializeNumber } from "../../objects/serialize.ts";
import type { Reference } from "../../objects/values.ts";
import { Dictionary, Name, PdfStream, plainBody } from "../../objects/values.ts";
import type { OpenPdf } from "../../pages/open-pdf.ts";
import { putPageTree } from "../../pages/page-tree.ts";
import type { TextForm } from "../../typesetting/typesetter.ts";

/** A4 in points. */
const WIDTH = 595.276;
const HEIGHT = 841.89;
export const MARGIN = 50;
export const RIGHT = WIDTH - MARGIN;
const FOOTER = 30;

interface Page {
  content: string;
  readonly forms: Map<Reference, string>;
}

const numbers = (...values: readonly number[]): string => values.map(serializeNumber).join(" ");

export class Sheets {
  readonly #pdf: OpenPdf;
  readonly #pages: Page[] = [];
  /** Distance from the upper edge of the page to the next content. */
  y = MARGIN;

  constructor(pdf: OpenPdf) {
    this.#pdf = pdf;
    this.addPage();
  }

  get pageCount(): number {
    return this.#pages.length;
  }

  addPage(): void {
    this.#pages.push({ content: "", forms: new Map() });
    this.y = MARGIN;
  }

  /** Reports whether content of a height fits on the page. */
  fits(height: number): boolean {
    return this.y + height <= HEIGHT - MARGIN - FOOTER;
  }

  /** Places a text with its upper left corner at a distance from the left and upper edges. */
  text({ reference, block }: TextForm, x: number, y = this.y): void {
    this.#place(this.#pages.at(-1)!, reference, [1, 0, 0, 1, x, HEIGHT - y - block.ascent]);
  }

  /** Places a form of a size. */
  image(reference: Reference, scale: readonly [number, number], x: number, y: number, height: number): void {
    this.#place(this.#pages.at(-1)!, reference, [scale[0], 0, 0, scale[1], x, HEIGHT - y - height]);
  }

  /** Places a text at the lower edge of a page. @param index from 0 */
  footer(index: number, { reference, block }: TextForm): void {
    this.#place(this.#pages[index]!, reference, [1, 0, 0, 1, RIGHT - block.width, MARGIN]);
  }

  /** Draws a horizontal rule. @param color components from 0 to 1 */
  rule(left: number, right: number, color: readonly number[], width = 0.5): void {
    const y = HEIGHT - this.y;
    const page = this.#pages.at(-1)!;
    page.content += `q ${numbers(...color)} RG ${numbers(width)} w ${numbers(left, y)} m ${numbers(right, y)} l S Q\n`;
  }

  #place(page: Page, form: Reference, matrix: readonly number[]): void {
    const name = page.forms.get(form) ?? `X${page.forms.size}`;
    page.forms.set(form, name);
    page.content += `q ${numbers(...matrix)} cm /${name} Do Q\n`;
  }

  /** Writes the pages, which replace those of the document. */
  finish(): void {
    const { file, budget } = this.#pdf;
    const pages = this.#pages.map(({ content, forms }) => {
      budget.charge(2 * content.length);
      const objects = Object.fromEntries([...forms].map(([form, name]) => [name, form]));
      return file.add(
        Dictionary.of({
          ...{ Type: Name.of("Page"), MediaBox: [0, 0, WIDTH, HEIGHT] },
          Resources: Dictionary.of({ XObject: Dictionary.of(objects) }),
          Contents: file.add(new PdfStream(new Dictionary(), plainBody(Buffer.from(content, "latin1")))),
        }),
      );
    });
    file.catalog = file.catalog.clone().set("Pages", putPageTree(file, pages));
  }
}

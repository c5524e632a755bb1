// The looks of cells of a workbook, each of which is written once (ECMA-376 part 1, 18.8).
import { xmlText } from "./xml-text.ts";

export interface CellStyle {
  /** Number format, as in `#,##0.00`. @default none */
  readonly format?: string | undefined;
  readonly isBold?: boolean | undefined;
  /** True to divide a long text into lines. @default false */
  readonly wraps?: boolean | undefined;
}

/** First identifier of the formats of a workbook (18.8.30). */
const FIRST_FORMAT = 164;
/** Maximum number of formats: fewer than any program takes. Further ones show plain numbers. */
const MAX_FORMATS = 200;

export class Styles {
  readonly #formats = new Map<string, number>();
  /** Elements of styles, by their index. */
  readonly #styles = new Map<string, number>();

  constructor() {
    this.indexOf({});
  }

  /** Returns the index of a style. */
  indexOf({ format, isBold = false, wraps = false }: CellStyle): number {
    const align = wraps ? '<alignment vertical="top" wrapText="1"/>' : '<alignment vertical="top"/>';
    const attributes = `numFmtId="${this.#idOf(format)}" fontId="${isBold ? 1 : 0}" fillId="0" borderId="0" xfId="0"`;
    const style = `<xf ${attributes} applyNumberFormat="1" applyFont="1" applyAlignment="1">${align}</xf>`;
    return numberOf(this.#styles, style);
  }

  #idOf(format: string | undefined): number {
    if (format === undefined) return 0;
    if (format === "@") return 49;
    if (this.#formats.size >= MAX_FORMATS && !this.#formats.has(format)) return 0;
    return FIRST_FORMAT + numberOf(this.#formats, format);
  }

  xml(): string {
    const formats = [...this.#formats].map(
      ([format, at]) => `<numFmt numFmtId="${FIRST_FORMAT + at}" formatCode="${xmlText(format)}"/>`,
    );
    const font = (bold: string) => `<font>${bold}<sz val="11"/><name val="Calibri"/><family val="2"/></font>`;
    return [
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>',
      '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">',
      formats.length > 0 ? `<numFmts count="${formats.length}">${formats.join("")}</numFmts>` : "",
      `<fonts count="2">${font("")}${font("<b/>")}</fonts>`,
      '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>',
      '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
      '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
      `<cellXfs count="${this.#styles.size}">${[...this.#styles.keys()].join("")}</cellXfs>`,
      '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>',
      "</styleSheet>",
    ].join("");
  }
}

/** Returns the index of a key, which is added if it is new. */
function numberOf(indexes: Map<string, number>, key: string): number {
  const known = indexes.get(key) ?? indexes.size;
  indexes.set(key, known);
  return known;
}

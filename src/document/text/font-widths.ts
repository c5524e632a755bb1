// Reads and corrects widths in font dictionaries (ISO 32000-1, 9.6.2 and 9.7.4.3), in thousandths of an em.
import type { PdfFile } from "../objects/pdf-file.ts";
import type { Dictionary, Value } from "../objects/values.ts";

/** Maximum difference between the widths in font program and dictionary (ISO 19005-2, 6.2.11.5). */
const TOLERANCE = 1;
const MAX_CIDS = 65_536;
/** Maximum number of widths read from one font, including repeated ones. */
const MAX_WIDTHS = 500_000;

export const isInStep = (dictionary: number, program: number): boolean => Math.abs(dictionary - program) <= TOLERANCE;

/** @returns undefined if the font has no widths */
export function simpleWidths(file: PdfFile, font: Dictionary): ((code: number) => number) | undefined {
  const widths = file.array(font.get("Widths"));
  if (!widths) return undefined;
  const first = file.number(font.get("FirstChar")) ?? 0;
  const missing = file.number(file.dictionary(font.get("FontDescriptor"))?.get("MissingWidth")) ?? 0;
  return (code) => (code >= first && code - first < widths.length ? (file.number(widths[code - first]) ?? 0) : missing);
}

/** Sets FirstChar, LastChar and Widths (table 111) for all codes that had a width or are shown. */
export function setWidths(
  file: PdfFile,
  font: Dictionary,
  widthOf: (code: number) => number,
  codes: Iterable<number>,
): void {
  const old = file.array(font.get("Widths"))?.length ?? 0;
  const from = file.number(font.get("FirstChar")) ?? 0;
  let first = old > 0 ? from : 255;
  let last = old > 0 ? from + old - 1 : 0;
  for (const code of codes) {
    first = Math.min(first, code);
    last = Math.max(last, code);
  }
  first = Math.max(0, Math.min(255, Math.floor(first)));
  last = Math.max(first, Math.min(255, Math.floor(last)));
  font.set("FirstChar", first).set("LastChar", last);
  font.set(
    "Widths",
    Array.from({ length: last - first + 1 }, (_, index) => widthOf(first + index)),
  );
}

/** Reports whether FirstChar, LastChar and Widths exist and agree on the number of widths. */
export function hasSoundWidths(file: PdfFile, font: Dictionary): boolean {
  const [first, last] = [file.number(font.get("FirstChar")), file.number(font.get("LastChar"))];
  const widths = file.array(font.get("Widths"));
  return first !== undefined && last !== undefined && widths?.length === last - first + 1;
}

/** The widths of a CIDFont, from its entries W and DW. */
export class CidWidths {
  readonly #widths = new Map<number, number>();
  readonly #default: number;
  #left = MAX_WIDTHS;

  constructor(file: PdfFile, font: Dictionary) {
    this.#default = file.number(font.get("DW")) ?? 1000;
    const list = file.array(font.get("W")) ?? [];
    for (let at = 0; at + 1 < list.length && this.#left > 0; ) {
      const first = file.number(list[at]) ?? 0;
      const array = file.array(list[at + 1]);
      if (array) {
        for (let index = 0; index < array.length; index++) this.#set(first + index, file.number(array[index]));
        at += 2;
        continue;
      }
      const last = Math.min(file.number(list[at + 1]) ?? first, MAX_CIDS);
      const width = file.number(list[at + 2]);
      for (let cid = first; cid <= last && this.#left > 0; cid++) this.#set(cid, width);
      at += 3;
    }
  }

  of(cid: number): number {
    return this.#widths.get(cid) ?? this.#default;
  }

  #set(cid: number, width: number | undefined): void {
    if (this.#left-- <= 0) return;
    if (width !== undefined && cid >= 0 && cid < MAX_CIDS) this.#widths.set(cid, width);
  }
}

/** Returns the W array of a CIDFont with additional entries (9.7.4.3). */
export function withCidWidths(list: readonly Value[], more: ReadonlyMap<number, number>): Value[] {
  return [...list, ...[...more].flatMap(([cid, width]) => [cid, [width]])];
}

// Copies page labels (ISO 32000-1, 12.4.2). Every selected page keeps its visible label.

import { decodeTextString } from "../../objects/text-strings.ts";
import { readNumberTree, writeNumberTree } from "../../objects/trees.ts";
import { Dictionary, Name, type PdfString, type Value } from "../../objects/values.ts";
import type { AssemblyTarget, DocumentPart, InputSelection } from "../assemble.ts";
import type { SourceDocument } from "../source-document.ts";

/** A label: a prefix, and a number in a style. */
interface Label {
  readonly style: string | undefined;
  readonly prefix: PdfString | undefined;
  readonly number: number;
}

interface Range extends Label {
  /** Index of the first page of the range, from 0. */
  readonly start: number;
}

/** Viewers show the page number of a page without a label. */
const DEFAULT: Range = { start: 0, style: "D", prefix: undefined, number: 1 };

/** @returns the ranges in page order; undefined if there are none */
function findRanges(source: SourceDocument): readonly Range[] | undefined {
  const { file } = source;
  const entries = readNumberTree(file, file.catalog.get("PageLabels"));
  if (entries.size === 0) return undefined;
  const ranges: Range[] = [];
  for (const start of [...entries.keys()].sort((a, b) => a - b)) {
    if (start < 0 || start >= source.pages.length) continue;
    const label = file.dictionary(entries.get(start));
    const number = file.number(label?.get("St")) ?? 1;
    ranges.push({ start, style: file.name(label?.get("S")), prefix: file.string(label?.get("P")), number });
  }
  return ranges[0]?.start === 0 ? ranges : [DEFAULT, ...ranges];
}

/** Maximum number of letters or digits in a label. Alphabetic styles repeat letters, for example `AAA` for 53. */
const MAX_NUMBER = 40;
const MAX_PREFIX = 100;

/**
 * Returns the visible label of a page. @param index page index, from 0. @returns undefined if the document has no page
 * labels
 */
export function labelText(source: SourceDocument, index: number): string | undefined {
  const ranges = source.once(findRanges);
  if (!ranges) return undefined;
  const { style, prefix, number } = labelOf(ranges, index);
  return `${prefix ? decodeTextString(prefix).slice(0, MAX_PREFIX) : ""}${numeral(style, number)}`;
}

const ROMAN: readonly (readonly [number, string])[] = [
  ...([
    [1000, "m"],
    [900, "cm"],
    [500, "d"],
    [400, "cd"],
    [100, "c"],
    [90, "xc"],
    [50, "l"],
    [40, "xl"],
  ] as const),
  ...([
    [10, "x"],
    [9, "ix"],
    [5, "v"],
    [4, "iv"],
    [1, "i"],
  ] as const),
];

/** Formats a number in a style of table 159; as decimal if the style cannot represent it. */
function numeral(style: string | undefined, number: number): string {
  const lower = style?.toLowerCase();
  let text = String(number);
  if (style === undefined) return "";
  if (Number.isInteger(number) && number > 0) {
    if (lower === "r" && number <= 1000 * (MAX_NUMBER / 2)) text = roman(number);
    const repeats = Math.ceil(number / 26);
    if (lower === "a" && repeats <= MAX_NUMBER) text = String.fromCharCode(97 + ((number - 1) % 26)).repeat(repeats);
  }
  return style === lower ? text : text.toUpperCase();
}

function roman(number: number): string {
  let text = "";
  let left = number;
  for (const [value, letters] of ROMAN) {
    text += letters.repeat(Math.floor(left / value));
    left %= value;
  }
  return text;
}

export class PageLabels implements DocumentPart {
  readonly #ranges: Range[] = [];
  /** The label that continues the last range on the next page. */
  #next: Label | undefined;
  #isLabelled = false;

  open({ source, pages }: InputSelection): void {
    const ranges = source.once(findRanges);
    if (ranges) this.#isLabelled = true;
    for (const { sourceIndex, targetIndex } of pages) this.#add(labelOf(ranges ?? [DEFAULT], sourceIndex), targetIndex);
  }

  #add(label: Label, start: number): void {
    if (!this.#next || !isSame(label, this.#next)) this.#ranges.push({ ...label, start });
    this.#next = { ...label, number: label.number + 1 };
  }

  finish({ file, catalog }: AssemblyTarget): void {
    if (!this.#isLabelled) return;
    const entries = new Map<number, Value>();
    for (const { start, style, prefix, number } of this.#ranges) {
      entries.set(
        start,
        Dictionary.of({
          S: style === undefined ? undefined : Name.of(style),
          P: prefix,
          St: number === 1 || style === undefined ? undefined : number,
        }),
      );
    }
    catalog.set("PageLabels", writeNumberTree(file, entries));
  }
}

function labelOf(ranges: readonly Range[], index: number): Label {
  let low = 0;
  let high = ranges.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ranges[middle]!.start <= index) low = middle;
    else high = middle - 1;
  }
  const { style, prefix, number, start } = ranges[low]!;
  return { style, prefix, number: number + index - start };
}

/** Compares two labels. Without a style, the number is invisible and ignored. */
const isSame = (a: Label, b: Label) =>
  a.style === b.style && a.prefix?.latin1 === b.prefix?.latin1 && (a.style === undefined || a.number === b.number);

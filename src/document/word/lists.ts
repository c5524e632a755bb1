// Finds the lists that items belong to, with their numbers.
import { LEVELS, type Marking } from "../formats/docx/numbering.ts";
import type { TextBlock } from "../layout/lines/blocks.ts";

const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };
const PARTS = /^([([{]?)([\p{L}\p{N}]+)([.:)\]}]{0,2})$/u;
const MAX_LISTS = 2000;
/** Signs of symbol fonts, and what they show. */
const SYMBOLS: Readonly<Record<string, string>> = { "\uf0a7": "▪" };

type Counted = Omit<Marking, "text"> & { readonly before: string; readonly after: string };

interface OpenLevel {
  readonly marking: Marking;
  /** Number of the last item. */
  last: number;
}

export class Lists {
  /** The markings of the levels of each list. */
  readonly all: Map<number, Marking>[] = [];
  /** The levels of the list around the next item. */
  #open: OpenLevel[] = [];
  /** List that each level continues. */
  #current: Map<number, Marking> | undefined;

  /** Returns the place of an item. @returns undefined if it cannot be in a list */
  add({ marker = "•", level = 1 }: TextBlock): { readonly id: number; readonly level: number } | undefined {
    const at = Math.min(level, LEVELS) - 1;
    const known = this.#open[at];
    const marking = markingOf(marker, known);
    if (!marking) return undefined;
    const isNext = known?.marking.text === marking.text && known.marking.format === marking.format;
    const continues = isNext && (marking.format === "bullet" || marking.start === known.last + 1);
    if (continues) {
      known.last = marking.start;
      this.#open.length = at + 1;
      return { id: this.all.length, level: at };
    }
    if (this.all.length >= MAX_LISTS) return undefined;
    const mayExtend = this.#current !== undefined && !this.#current.has(at) && this.#open.length > 0;
    if (!mayExtend) {
      this.#current = new Map();
      this.all.push(this.#current);
      this.#open = [];
    }
    this.#current!.set(at, marking);
    this.#open.length = Math.min(this.#open.length, at);
    this.#open[at] = { marking, last: marking.start };
    return { id: this.all.length, level: at };
  }

  /** Ends the list, so that the next bullet starts another one; numbers can go on. */
  end(): void {
    if (this.#open.some((one) => one?.marking.format === "bullet")) this.#open = [];
  }
}

function markingOf(marker: string, known: OpenLevel | undefined): Marking | undefined {
  if (!/[\p{L}\p{N}]/u.test(marker))
    return { format: "bullet", text: SYMBOLS[marker] ?? marker.replace(/\p{Co}/gu, "•"), start: 1 };
  const [, before = "", value, after = ""] = PARTS.exec(marker) ?? [];
  const counted = value === undefined ? undefined : countedOf(value, before, after, known);
  if (!counted) return undefined;
  const { format, start } = counted;
  return { format, start, text: `${before}#${after}` };
}

function countedOf(value: string, before: string, after: string, known: OpenLevel | undefined): Counted | undefined {
  if (/^\d{1,5}$/.test(value)) return { format: "decimal", start: Number(value), before, after };
  const isLower = value === value.toLowerCase();
  const letter = value.length === 1 && /[a-z]/i.test(value) ? value.toLowerCase().charCodeAt(0) - 96 : undefined;
  const roman = romanOf(value.toLowerCase());
  const goesOn = (format: string, number: number | undefined) =>
    known?.marking.format === format && number === known.last + 1;
  const [letters, romans] = isLower
    ? (["lowerLetter", "lowerRoman"] as const)
    : (["upperLetter", "upperRoman"] as const);
  const isRoman =
    roman !== undefined && (letter === undefined || goesOn(romans, roman) || (roman === 1 && !goesOn(letters, letter)));
  if (isRoman) return { format: romans, start: roman, before, after };
  return letter === undefined ? undefined : { format: letters, start: letter, before, after };
}

function romanOf(text: string): number | undefined {
  if (!/^[ivxlc]{1,6}$/.test(text)) return undefined;
  const digits = Array.from(text, (one) => ROMAN[one]!);
  return digits.reduce((sum, one, at) => sum + (one < (digits[at + 1] ?? 0) ? -one : one), 0);
}

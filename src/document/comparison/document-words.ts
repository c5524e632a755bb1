// The words of a document as numbers, so that two documents of many pages fit into memory.
import { around, type Box } from "../content/matrix.ts";
import { EngineFailure } from "../contract/failure.ts";
import { type Block, linesIn, type PageLayout } from "../layout/lines/blocks.ts";
import type { Hyphens } from "../layout/lines/hyphens.ts";
import { boxOfWords } from "../layout/lines/segments.ts";
import { type WholeWord, wholeWords } from "../layout/lines/whole-words.ts";

/** Characters of scripts without spaces, which are compared one by one. */
const CJK = /[\u2e80-\u312f\u3190-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60\u{20000}-\u{3ffff}]/u;
const SOUTHEAST_ASIAN = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]\p{M}*/u;
const CHARACTER = new RegExp(`(${CJK.source}|${SOUTHEAST_ASIAN.source})`, "u");
const UNSPACED = /[\u2e80-\u312f\u3190-\u9fff\uf900-\ufaff\uff01-\uff60\u{20000}-\u{3ffff}]$/u;
const HYPHENS = /[\u00ad\u2010-]/gu;
const HYPHENATED = /[\u00ad\u2010-]$/u;
/** Bytes for a word: its number, its box, and its part of the comparison. */
const WORD_BYTES = 120;

/** Numbers texts; equal texts have equal numbers. */
export class Vocabulary {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  textOf(number: number): string {
    return this.#texts[number]!;
  }
}

/** Words of one page that follow each other. */
export interface Passage {
  /** Page number, from 1. */
  readonly page: number;
  readonly text: string;
  /** One box for each line: left, bottom, right and top in points from the lower left corner of the displayed page. */
  readonly boxes: readonly Box[];
}

interface Piece {
  readonly text: string;
  readonly box: Box;
  /** Sum of {@link INSIDE} and {@link SIDEWAYS}. */
  readonly flags: number;
}

/** Flag of a piece that continues the word of the piece before it. */
const INSIDE = 1;
/** Flag of a piece whose line runs up or down. */
const SIDEWAYS = 2;

export class DocumentWords {
  /** Number of each word in the vocabulary. */
  readonly ids: number[] = [];
  /** Index of the first word of each block, and the number of the block's text in the vocabulary of blocks. */
  readonly blockStarts: number[] = [];
  readonly blockIds: number[] = [];
  /** Index of the first word of each page. */
  readonly pageStarts: number[] = [];
  readonly #boxes: number[] = [];
  readonly #flags: number[] = [];
  /** Boxes of the second parts of words that are divided between lines. */
  readonly #secondBoxes = new Map<number, Box>();
  readonly #words: Vocabulary;
  readonly #blocks: Vocabulary;
  readonly #limit: number;

  /** @param bytes memory for the words */
  constructor(words: Vocabulary, blocks: Vocabulary, bytes: number) {
    this.#words = words;
    this.#blocks = blocks;
    this.#limit = bytes / WORD_BYTES;
  }

  get pageCount(): number {
    return this.pageStarts.length;
  }

  /** @throws EngineFailure `too-large` if the memory does not suffice */
  add({ blocks }: PageLayout, hyphens: Hyphens): void {
    this.pageStarts.push(this.ids.length);
    for (const block of blocks) {
      const start = this.ids.length;
      this.#addBlock(block, hyphens);
      if (this.ids.length === start) continue;
      this.blockStarts.push(start);
      this.blockIds.push(this.#blocks.numberOf(this.ids.slice(start).join(" ")));
      if (this.ids.length > this.#limit) throw new EngineFailure("too-large", `${this.ids.length} words`);
    }
  }

  #addBlock(block: Block, hyphens: Hyphens): void {
    let last = "";
    for (const line of linesIn(block)) {
      for (const [index, word] of wholeWords(line).entries()) {
        if (index === 0 && last !== "" && hyphens.divides(last, word.text)) this.#complete(last, word);
        else for (const piece of piecesOf(word)) this.#push(piece);
        last = word.text;
      }
    }
  }

  #push({ text, box, flags }: Piece): void {
    this.ids.push(this.#words.numberOf(text));
    this.#flags.push(flags);
    this.#boxes.push(...box);
  }

  /** Adds the rest of a word that a line divides. */
  #complete(before: string, word: WholeWord): void {
    const at = this.ids.length - 1;
    this.ids[at] = this.#words.numberOf(comparable(before.slice(0, -1)) + comparable(word.text));
    this.#secondBoxes.set(at, boxOfWords([word]));
  }

  /** Returns the number of the page with a word, from 1. */
  pageOf(word: number): number {
    let [low, high] = [0, this.pageStarts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.pageStarts[middle]! <= word) low = middle;
      else high = middle;
    }
    // Pages without words start where the next one does.
    return low + 1;
  }

  /** Reports whether a page has words. @param page from 1 */
  hasWords(page: number): boolean {
    return (this.pageStarts[page] ?? this.ids.length) > this.pageStarts[page - 1]!;
  }

  boxOf(word: number): Box {
    return this.#boxes.slice(4 * word, 4 * word + 4) as unknown as Box;
  }

  /** Returns the letters of words without hyphens, and whether a hyphen at the end of a line divides a word. */
  lettersOf(from: number, to: number): { readonly letters: string; readonly isDivided: boolean } {
    let letters = "";
    let isDivided = false;
    for (let word = from; word < to; word++) {
      const text = this.#words.textOf(this.ids[word]!);
      isDivided ||= this.#secondBoxes.has(word) || (word + 1 < to && HYPHENATED.test(text));
      letters += text.replaceAll(HYPHENS, "");
    }
    return { letters, isDivided };
  }

  /** Returns consecutive words as a passage of each of their pages. */
  passages(from: number, to: number): readonly Passage[] {
    const passages: Passage[] = [];
    for (let start = from; start < to; ) {
      const page = this.pageOf(start);
      const end = Math.min(to, this.pageStarts[page] ?? this.ids.length);
      passages.push({ page, text: this.#textOf(start, end), boxes: this.#boxesOf(start, end) });
      start = end;
    }
    return passages;
  }

  #textOf(from: number, to: number): string {
    let text = "";
    for (let word = from; word < to; word++) {
      const next = this.#words.textOf(this.ids[word]!);
      const isJoined = text === "" || this.#flags[word]! & INSIDE || (UNSPACED.test(text) && UNSPACED.test(next));
      text += isJoined ? next : ` ${next}`;
    }
    return text;
  }

  /** Returns the boxes of words, those on the same line as one. */
  #boxesOf(from: number, to: number): readonly Box[] {
    const boxes: Box[] = [];
    const add = (box: Box, isSideways: boolean) => {
      const last = boxes.at(-1);
      if (last && followsOnLine(last, box, isSideways)) boxes[boxes.length - 1] = around(last, box);
      else boxes.push(box);
    };
    for (let word = from; word < to; word++) {
      const isSideways = (this.#flags[word]! & SIDEWAYS) !== 0;
      add(this.boxOf(word), isSideways);
      const second = this.#secondBoxes.get(word);
      if (second) add(second, isSideways);
    }
    return boxes.map((box) => box.map(rounded) as unknown as Box);
  }
}

const rounded = (points: number): number => Math.round(points * 100) / 100;

/** Reports whether two boxes are on one line, at most a few spaces apart. */
function followsOnLine(last: Box, next: Box, isSideways: boolean): boolean {
  const [along, across] = isSideways ? ([1, 0] as const) : ([0, 1] as const);
  const height = Math.min(last[across + 2]! - last[across]!, next[across + 2]! - next[across]!);
  const shared = Math.min(last[across + 2]!, next[across + 2]!) - Math.max(last[across]!, next[across]!);
  const gap = Math.max(last[along]!, next[along]!) - Math.min(last[along + 2]!, next[along + 2]!);
  return shared > height / 2 && gap < 2 * height;
}

/** Characters other than raised and lowered ones, whose meaning differs: m² is not m2. */
const LEVEL = /[^\u00aa\u00b2\u00b3\u00b9\u00ba\u2070-\u209c]+/gu;

/** Returns text without differences that have no meaning, such as those of ligatures. */
const comparable = (text: string): string => text.replace(LEVEL, (part) => part.normalize("NFKC"));

/** Divides a word into characters of scripts without spaces, and what is between them. */
function piecesOf({ text, corners }: WholeWord): readonly Piece[] {
  const parts = comparable(text)
    .split(CHARACTER)
    .filter((part) => part !== "");
  const [ulx, uly, urx, ury] = corners as [number, number, number, number];
  const direction = Math.abs(ury - uly) > Math.abs(urx - ulx) ? SIDEWAYS : 0;
  if (parts.length < 2) return parts.map((part) => ({ text: part, box: boxOfWords([{ corners }]), flags: direction }));
  const widths = parts.map((part) => (CHARACTER.test(part) ? 2 : part.length));
  const whole = widths.reduce((sum, width) => sum + width, 0);
  let done = 0;
  return parts.map((part, index) => {
    const [start, end] = [done / whole, (done + widths[index]!) / whole];
    done += widths[index]!;
    const box = boxOfWords([{ corners: [...along(corners, start), ...along(corners, end)] }]);
    return { text: part, box, flags: direction + (index > 0 ? INSIDE : 0) };
  });
}

/** Returns the points at a fraction of the upper and the lower edge of a word. */
const along = ([ulx, uly, urx, ury, llx, lly, lrx, lry]: readonly number[], fraction: number): readonly number[] => [
  ulx! + (urx! - ulx!) * fraction,
  uly! + (ury! - uly!) * fraction,
  llx! + (lrx! - llx!) * fraction,
  lly! + (lry! - lly!) * fraction,
];

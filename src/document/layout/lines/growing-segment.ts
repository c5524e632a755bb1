// Joins words to a segment, piece by piece: its extent and size are known after each.
import type { Word } from "./page-text.ts";
import { type Extent, extentOf, type Frame, inFrame, type Segment } from "./segments.ts";

/** Height above and depth below the baseline, in font sizes: fonts state very different ones. */
const ABOVE = 0.78;
const BELOW = 0.22;

/** The words of one font size. */
interface Sized {
  characters: number;
  /** The first of them, and its place among all words. */
  first: Word;
  order: number;
}

export class GrowingSegment implements Extent {
  left = Infinity;
  right = -Infinity;
  top = 0;
  bottom = 0;
  baseline = 0;
  size = 0;
  readonly #direction: Frame["direction"];
  readonly #before: (readonly Word[])[] = [];
  readonly #after: (readonly Word[])[] = [];
  readonly #sizes = new Map<number, Sized>();
  #usual: Sized | undefined;
  #count = 0;
  /** Number of characters from right to left that exceed those from left to right. */
  #balance = 0;

  constructor(words: readonly Word[], direction: Frame["direction"]) {
    this.#direction = direction;
    this.append(words);
  }

  get isRightToLeft(): boolean {
    return this.#balance > 0;
  }

  /** The word, if there is only one. */
  get onlyWord(): Word | undefined {
    return this.#count === 1 ? this.#after[0]?.[0] : undefined;
  }

  append(words: readonly Word[]): void {
    this.#after.push(words);
    for (const word of words) this.#add(word, this.#count);
    this.#settle();
  }

  prepend(words: readonly Word[]): void {
    this.#before.push(words);
    for (const word of words.toReversed()) this.#add(word, -this.#count);
    this.#settle();
  }

  get words(): readonly Word[] {
    return [...this.#before.toReversed(), ...this.#after].flat();
  }

  get segment(): Segment {
    const { words, left, right, top, bottom, baseline, size, isRightToLeft } = this;
    return { words, left, right, top, bottom, baseline, size, isRightToLeft };
  }

  #add(word: Word, order: number): void {
    this.#count++;
    const { left, right } = extentOf(word, this.#direction);
    [this.left, this.right] = [Math.min(this.left, left), Math.max(this.right, right)];
    if (RIGHT_TO_LEFT.test(word.text)) this.#balance += word.text.length;
    else if (LETTER.test(word.text)) this.#balance -= word.text.length;
    const known = this.#sizes.get(word.size);
    const sized = known ?? { characters: 0, first: word, order };
    if (!known) this.#sizes.set(word.size, sized);
    sized.characters += word.text.length;
    if (order < sized.order) Object.assign(sized, { first: word, order });
    const usual = this.#usual;
    const difference = usual ? sized.characters - usual.characters : 1;
    if (!usual || difference > 0 || (difference === 0 && sized.order < usual.order)) this.#usual = sized;
  }

  /** Finds the baseline and the height by the first word of the usual size. */
  #settle(): void {
    const { first } = this.#usual!;
    const { size, origin } = first;
    const [, baseline] = inFrame(origin[0], origin[1], this.#direction);
    Object.assign(this, { size, baseline });
    if (isSideways(first, this.#direction)) {
      const { top, bottom } = extentOf(first, this.#direction);
      Object.assign(this, { top, bottom });
    } else Object.assign(this, { top: baseline - ABOVE * size, bottom: baseline + BELOW * size });
  }
}

/** Returns a segment of words in the order of the text. */
export const segmentOf = (words: readonly Word[], direction: Frame["direction"]): Segment =>
  new GrowingSegment(words, direction).segment;

/** Reports whether the letters of a word are turned against the line: in vertical text. */
function isSideways({ corners }: Word, [dx, dy]: Frame["direction"]): boolean {
  const [x, y] = [corners[2]! - corners[0]!, corners[3]! - corners[1]!];
  return x * dx + y * dy < Math.hypot(x, y) / 2;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;
const LETTER = /\p{L}/u;

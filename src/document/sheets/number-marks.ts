// Finds how a document writes numbers and dates, by those that can be read in one way only.
import type { PageText } from "../layout/lines/page-text.ts";

const STRONG = 10;
/** Number of numbers that tell together what each of them does not. */
const ENOUGH = 4;
/** A point and a comma, or a repeated mark: the last of them, or the other mark, is that of decimals. */
const POINT_DECIMALS = /\d,\d{3}\.\d|\d,\d{2,3},\d{3}(?!\d)/;
const COMMA_DECIMALS = /\d\.\d{3},\d|\d\.\d{3}\.\d{3}(?!\d)/;
/** A number below one. */
const FRACTION = /^[^\d]{0,4}0[.,]\d{3}[^\d]{0,4}$/;
const WHOLE_NUMBER = /^[^\d]{0,4}(\d+)([.,])(\d+)[^\d]{0,4}$/;
const DATE = /^(\d{1,2})\/(\d{1,2})\/\d{2,4}$/;
/** Words by which a language shows itself: those that write decimals with a comma, and those with a point. */
const COMMA_WORDS =
  /^(?:der|die|und|das|nicht|les|des|est|pour|dans|los|las|que|para|della|che|sono|het|een|voor|och|att|og|się|jest|não|uma)$/i;
const POINT_WORDS = /^(?:the|of|and|to|is|for|with|that)$/i;

export class NumberMarks {
  #points = 0;
  #commas = 0;
  #pointWords = 0;
  #commaWords = 0;
  /** Numbers with three digits after a mark, and those of them with several digits before it. */
  readonly #unclear = { ".": 0, ",": 0 };
  readonly #long = { ".": 0, ",": 0 };
  #dayFirst = 0;
  #monthFirst = 0;

  add({ lines }: Pick<PageText, "lines">): void {
    for (const { words } of lines) for (const { text } of words) this.#count(text.replace(/[.,;:]$/, ""));
  }

  #count(word: string): void {
    if (POINT_WORDS.test(word)) this.#pointWords++;
    else if (COMMA_WORDS.test(word)) this.#commaWords++;
    else if (POINT_DECIMALS.test(word)) this.#points += STRONG;
    else if (COMMA_DECIMALS.test(word)) this.#commas += STRONG;
    else this.#countDecimals(word);
    const [, first = 0, second = 0] = DATE.exec(word)?.map(Number) ?? [];
    if (first > 12 && first < 32) this.#dayFirst++;
    if (second > 12 && second < 32) this.#monthFirst++;
  }

  /** A mark before three digits divides thousands as well as decimals. */
  #countDecimals(word: string): void {
    const [, whole, mark, decimals] = WHOLE_NUMBER.exec(word) ?? [];
    if (!decimals) return;
    if (decimals.length === 3 && !FRACTION.test(word)) {
      const own = mark as "." | ",";
      this.#unclear[own]++;
      if (whole!.length > 1) this.#long[own]++;
      return;
    }
    const weight = decimals.length > 1 ? 3 : 1;
    if (mark === ".") this.#points += weight;
    else this.#commas += weight;
  }

  /** The mark of decimals. @default that of the language, if no number tells */
  get decimal(): "." | "," {
    if (this.#points !== this.#commas) return this.#points > this.#commas ? "." : ",";
    // Decimals with three places have mostly one digit before them, thousands mostly several.
    if (this.#unclear["."] >= ENOUGH && this.#long["."] * 2 > this.#unclear["."]) return ",";
    if (this.#unclear[","] >= ENOUGH && this.#long[","] * 2 > this.#unclear[","]) return ".";
    return this.#commaWords > this.#pointWords + ENOUGH ? "," : ".";
  }

  /** True if the day is before the month in dates such as 3/4/2024. @default undefined: nothing tells */
  get isDayFirst(): boolean | undefined {
    if (this.#dayFirst !== this.#monthFirst) return this.#dayFirst > this.#monthFirst;
    return this.decimal === "," ? true : undefined;
  }
}

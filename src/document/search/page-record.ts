// The text of a page as it is stored: blocks and words in reading order, with their boxes.
import type { Box } from "../content/matrix.ts";
import { type Block, linesIn, type PageLayout } from "../layout/lines/blocks.ts";
import type { Hyphens } from "../layout/lines/hyphens.ts";
import { flowingText } from "../layout/lines/plain-text.ts";
import { boxOfWords } from "../layout/lines/segments.ts";
import { searchedWords } from "../layout/lines/whole-words.ts";
import { markdownOf } from "../layout/markdown.ts";
import { foldWord, isDivided } from "./fold-word.ts";

/** Boxes are left, bottom, right and top in points from the lower left corner of the page as viewers show it. */
export interface PageRecord {
  /** Page number, from 1. */
  readonly page: number;
  readonly width: number;
  readonly height: number;
  readonly blocks: readonly RecordedBlock[];
  readonly words: readonly RecordedWord[];
  readonly markdown: string;
}

export interface RecordedBlock {
  readonly kind: Block["kind"];
  readonly level?: number;
  readonly box: Box;
  readonly text: string;
}

/** The text, the box, and the number of the line on the page, from 0. */
export type RecordedWord = readonly [text: string, ...box: Box, line: number];

export function recordOf({ number, width, height, blocks }: PageLayout, hyphens: Hyphens): PageRecord {
  const words: RecordedWord[] = [];
  let line = 0;
  for (const block of blocks) {
    for (const one of linesIn(block)) {
      for (const word of searchedWords(one)) words.push([word.text, ...roundedBox(boxOfWords([word])), line]);
      line++;
    }
  }
  const recorded = blocks.map((block) => ({
    kind: block.kind,
    ...("level" in block && block.level !== undefined ? { level: block.level } : {}),
    box: roundedBox(block.box),
    text: flowingText(block, hyphens),
  }));
  const size = { width: rounded(width), height: rounded(height) };
  return { page: number, ...size, blocks: recorded, words, markdown: markdownOf(blocks, hyphens) };
}

const roundedBox = (box: Box): Box => box.map(rounded) as unknown as Box;

const rounded = (points: number): number => Math.round(points * 100) / 100;

/** Returns the paragraphs of a page, one on each line. */
export const textOf = ({ blocks }: PageRecord): string => {
  const texts = blocks.map(({ text }) => text).filter((text) => text !== "");
  return texts.map((text) => `${text}\n`).join("");
};

/** The folded words of a page in one text, each between spaces, so that phrases are substrings. */
export interface FoldedPage {
  readonly text: string;
  /**
   * For some of the folded words, in their order: number of the folded word, number of its word on the page, number of
   * its words. A folded word that is missing here has one word, which follows those of the folded word before.
   */
  readonly steps: readonly number[];
}

export function foldPage({ words }: Pick<PageRecord, "words">): FoldedPage {
  const folded: string[] = [];
  const steps: number[] = [];
  let expected = 0;
  for (let at = 0; at < words.length; at++) {
    const [text] = words[at]!;
    const next = words[at + 1];
    const joins = next !== undefined && isDivided(text) && next.at(-1) !== words[at]!.at(-1);
    const one = foldWord(joins ? text + next[0] : text);
    const count = joins ? 2 : 1;
    if (one !== "") {
      if (at !== expected || count !== 1) steps.push(folded.length, at, count);
      folded.push(one);
      expected = at + count;
    }
    at += count - 1;
  }
  return { text: folded.length === 0 ? " " : ` ${folded.join(" ")} `, steps };
}

/** Returns the first of the words of a folded word, and the number of words. */
export function wordsOfFolded(
  { steps }: Pick<FoldedPage, "steps">,
  index: number,
): readonly [first: number, count: number] {
  let [low, high] = [0, steps.length / 3];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[3 * middle]! <= index) low = middle + 1;
    else high = middle;
  }
  const at = 3 * (low - 1);
  if (at < 0) return [index, 1];
  const [folded, word, count] = [steps[at]!, steps[at + 1]!, steps[at + 2]!];
  return folded === index ? [word, count] : [word + count + index - folded - 1, 1];
}

// Decides whether the tags of a page describe what it shows: many programs tag each line, or a page as one paragraph.
import { type Block, linesIn, type TextBlock } from "../lines/blocks.ts";
import { segmentOf } from "../lines/growing-segment.ts";
import { paragraphsOf, pitchesOf, type Row, rowOf } from "../lines/paragraphs.ts";
import { lineText } from "../lines/plain-text.ts";
import { rowsInOrder } from "./tagged-rows.ts";
import type { TaggedText } from "./tagged-text.ts";

/** Part of the text that a paragraph must have to be the whole page, and its number of lines and of paragraphs in it. */
const WHOLE = 0.8;
const MANY_LINES = 12;
const MANY_PARAGRAPHS = 4;
/** Minimum number of paragraphs that are compared, and part of them that go on in the next one. */
const COMPARED = 5;
const DIVIDED = 0.3;
/** Minimum number of blocks, and part of them that are above the block before in the same column. */
const ORDERED = 4;
const UPWARDS = 0.3;

/** Reports whether the blocks of a tagged page are those of its tags: neither one for all, nor one per line. */
export const areSane = (blocks: readonly Block[], text: TaggedText): boolean =>
  blocks.length > 0 && !isOneParagraph(blocks, text) && !areLines(blocks) && !goesUpwards(blocks);

const lengthOf = (block: Block): number =>
  linesIn(block).reduce((sum, { words }) => sum + words.reduce((all, word) => all + word.text.length, 0), 0);

function isOneParagraph(blocks: readonly Block[], { direction, links }: TaggedText): boolean {
  const all = blocks.reduce((sum, block) => sum + lengthOf(block), 0);
  const whole = blocks.find(
    (block): block is TextBlock =>
      block.kind === "paragraph" && block.lines.length >= MANY_LINES && lengthOf(block) > WHOLE * all,
  );
  if (!whole) return false;
  const segments = whole.lines.map(({ words }) => segmentOf(words, direction));
  const rows: readonly Row[] = rowsInOrder(segments, direction).map((row) => rowOf(row, undefined));
  return paragraphsOf(rows, pitchesOf([rows]), { direction, links }).length >= MANY_PARAGRAPHS;
}

/** Reports whether many paragraphs end inside a sentence that the next one goes on with. */
function areLines(blocks: readonly Block[]): boolean {
  const paragraphs = blocks.filter((block): block is TextBlock => block.kind === "paragraph");
  if (paragraphs.length < COMPARED) return false;
  const divided = paragraphs.slice(1).filter(({ lines }, at) => {
    const [end, start] = [lineText(paragraphs[at]!.lines.at(-1)!), lineText(lines[0]!)];
    return /[\p{L},\u2010-]$/u.test(end) && /^\p{Ll}/u.test(start);
  });
  return divided.length > DIVIDED * paragraphs.length;
}

/** Reports whether many blocks are above the one before, in the same column. */
function goesUpwards(blocks: readonly Block[]): boolean {
  const placed = blocks.filter(({ kind }) => kind !== "footnote" && kind !== "figure");
  if (placed.length < ORDERED) return false;
  const up = placed.slice(1).filter(({ box }, at) => {
    const before = placed[at]!.box;
    const overlap = Math.min(box[2], before[2]) - Math.max(box[0], before[0]);
    const narrower = Math.min(box[2] - box[0], before[2] - before[0]);
    return box[1] > before[3] && overlap > narrower / 2;
  });
  return up.length > UPWARDS * placed.length;
}

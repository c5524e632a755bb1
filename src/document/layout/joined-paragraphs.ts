// Joins the parts of a paragraph that the end of a column divides.
import { type Block, linesIn, type TextBlock } from "./lines/blocks.ts";
import { lineText } from "./lines/plain-text.ts";

/** Difference of font sizes within a paragraph, in points. */
const SAME_SIZE = 0.3;

/** Returns blocks in which a paragraph is whole, without what stands between its parts. */
export function joinedParagraphs(blocks: readonly Block[]): readonly Block[] {
  const joined: [Block, ...TextBlock[]][] = [];
  let last: [Block, ...TextBlock[]] | undefined;
  for (const block of blocks) {
    if (last && block.kind === "paragraph" && goesOn(last, block)) {
      last.push(block);
      continue;
    }
    joined.push([block]);
    if (block.kind !== "figure" && block.kind !== "running") last = joined.at(-1);
  }
  return joined.map(([first, ...others]) =>
    others.length === 0 ? first : { ...(first as TextBlock), lines: [first as TextBlock, ...others].flatMap(linesIn) },
  );
}

/** Reports whether a block is above the first part of a paragraph, and continues the sentence of the last. */
function goesOn(parts: readonly [Block, ...TextBlock[]], next: TextBlock): boolean {
  const [first] = parts;
  if (first.kind !== "paragraph" || first.isTagged || next.isTagged) return false;
  if (Math.abs(first.size - next.size) > SAME_SIZE || next.box[3] <= first.box[1]) return false;
  const [end, start] = [lineText(linesIn(parts.at(-1)!).at(-1)!), lineText(next.lines[0]!)];
  return /[\p{L}\p{N},\u2010-]$/u.test(end) && /^\p{Ll}/u.test(start);
}

// Joins the parts of a paragraph that the end of a column divides.
import type { Block, TextBlock } from "./lines/blocks.ts";
import { lineText } from "./lines/plain-text.ts";

/** Difference of font sizes within a paragraph, in points. */
const SAME_SIZE = 0.3;

/** Returns blocks in which a paragraph is whole, without what stands between its parts. */
export function joinedParagraphs(blocks: readonly Block[]): readonly Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const at = joined.findLastIndex(({ kind }) => kind !== "figure" && kind !== "running");
    const last = joined[at];
    if (last && goesOn(last, block)) joined[at] = { ...last, lines: [...last.lines, ...(block as TextBlock).lines] };
    else joined.push(block);
  }
  return joined;
}

/** Reports whether a block is above the one before, and continues its sentence. */
function goesOn(last: Block, next: Block): last is TextBlock {
  if (last.kind !== "paragraph" || next.kind !== "paragraph") return false;
  if (Math.abs(last.size - next.size) > SAME_SIZE || next.box[3] <= last.box[1]) return false;
  const [end, start] = [lineText(last.lines.at(-1)!), lineText(next.lines[0]!)];
  return /[\p{L}\p{N},\u2010-]$/u.test(end) && /^\p{Ll}/u.test(start);
}

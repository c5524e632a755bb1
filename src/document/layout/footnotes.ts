// Finds the footnotes of a page: text in small type at its foot, with a mark that is raised in the text above.
import { type Block, isTextBlock, type Line, linesIn, type PageLayout, type TextBlock } from "./lines/blocks.ts";
import { boxOfWords, usualSize } from "./lines/segments.ts";

/** Maximum size of footnotes, compared with the text of the page. */
const SMALLER = 0.95;
const MARK = /^(?:\d{1,3}|[*†‡§¶]{1,3}|[a-z])$/u;
/** What can be around the mark of a note. */
const BRACKETS = /^[([]?(.*?)[.)\]:]?$/u;

/** Returns a page whose footnotes are blocks of their own, after the others. */
export function withFootnotes(page: PageLayout): PageLayout {
  const marks = raisedMarks(page.blocks);
  const tagged = page.blocks.some(({ kind }) => kind === "footnote");
  if (marks.size === 0 && !tagged) return page;
  const size = usualSize(page.blocks.filter(isText).flatMap((block) => linesIn(block).flatMap(({ words }) => words)));
  const [text, notes]: [Block[], TextBlock[]] = [[], []];
  for (const block of page.blocks) {
    if (block.kind === "footnote") notes.push(...notesIn(block, marks));
    else if (isText(block) && block.size < SMALLER * size && isAtFoot(block, page.blocks, size)) {
      const found = notesIn(block, marks);
      (found.every(({ kind }) => kind === "footnote") ? notes : text).push(...found);
    } else text.push(block);
  }
  return { ...page, blocks: [...text, ...notes] };
}

const isText = (block: Block): block is TextBlock => block.kind === "paragraph" || block.kind === "item";

/** Returns the raised words that can be marks, without those that lines start with. */
function raisedMarks(blocks: readonly Block[]): ReadonlySet<string> {
  const raised = blocks.flatMap((block) =>
    linesIn(block).flatMap(({ words }) =>
      words.filter(({ position }, at) => position === "superscript" && (at > 0 || !isTextBlock(block))),
    ),
  );
  return new Set(raised.map(({ text }) => text).filter((text) => MARK.test(text)));
}

/** Reports whether no text of the usual size is below a block. */
const isAtFoot = (block: TextBlock, blocks: readonly Block[], size: number): boolean =>
  blocks.every(
    (one) =>
      !isText(one) ||
      one.size < SMALLER * size ||
      one.box[3] > block.box[1] ||
      one.box[0] > block.box[2] ||
      one.box[2] < block.box[0],
  );

/** Divides a block where lines start with marks. A part without a mark keeps the kind of the block. */
function notesIn(block: TextBlock, marks: ReadonlySet<string>): readonly TextBlock[] {
  const parts: Line[][] = [];
  for (const line of block.lines) {
    if (parts.length === 0 || markOf(line, marks) !== undefined) parts.push([line]);
    else parts.at(-1)!.push(line);
  }
  return parts.map((lines): TextBlock => {
    const mark = markOf(lines[0]!, marks);
    const box = boxOfWords(lines.flatMap(({ words }) => words));
    if (mark === undefined) return { ...block, lines, box };
    return { ...block, kind: "footnote", lines, box, marker: mark, markerWords: 1 };
  });
}

function markOf({ words }: Line, marks: ReadonlySet<string>): string | undefined {
  const [, mark] = BRACKETS.exec(words[0]?.text ?? "") ?? [];
  return words.length > 1 && mark !== undefined && marks.has(mark) ? mark : undefined;
}

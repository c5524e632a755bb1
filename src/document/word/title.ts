// Finds the title of a document: the first heading, if no other one is as high.
import { type Block, isTextBlock, type PageLayout, type TextBlock } from "../layout/lines/blocks.ts";
import { outlinedHeadings, textOf } from "../layout/outlined.ts";
import { TITLE } from "./text/paragraphs.ts";

/** Number of pages whose headings are compared. */
const AHEAD = 20;
const NUMBERED = /^(?:\d|[IVX]+\.)/;

interface Title {
  readonly block: TextBlock;
  /** Number of levels by which headings are higher without the title. */
  readonly raise: number;
}

/** Gives the title its level, so that the headings below it are the highest ones. */
export async function* withTitle(pages: AsyncIterable<PageLayout>): AsyncGenerator<PageLayout> {
  const start: PageLayout[] = [];
  let isStart = true;
  let title: Title | undefined;
  for await (const page of pages) {
    if (!isStart) yield titled(page, title);
    else if (start.push(page) === AHEAD) {
      [isStart, title] = [false, titleIn(start)];
      for (const one of start) yield titled(one, title);
    }
  }
  if (!isStart) return;
  title = titleIn(start);
  for (const one of start) yield titled(one, title);
}

function titleIn(pages: readonly PageLayout[]): Title | undefined {
  const [first] = pages;
  const block = first?.blocks.find((one) => isTextBlock(one) && one.kind !== "running");
  if (!first || !block || !isHeading(block) || NUMBERED.test(textOf(block))) return undefined;
  if (outlinedHeadings(first).has(block)) return undefined;
  const others = pages.flatMap(({ blocks }) => blocks.filter(isHeading)).filter((one) => one !== block);
  // An outline, which does not have the title, can give another heading the same level.
  const isHighest = others.every((one) => levelOf(one) > levelOf(block) || one.size < block.size - 1);
  if (others.length === 0 || !isHighest) return undefined;
  return { block, raise: Math.min(...others.map(levelOf)) > levelOf(block) ? 1 : 0 };
}

const isHeading = (block: Block): block is TextBlock => block.kind === "heading";
const levelOf = ({ level = 1 }: TextBlock): number => level;

function titled(page: PageLayout, title: Title | undefined): PageLayout {
  if (!title) return page;
  const blocks = page.blocks.map((block): Block => {
    if (!isHeading(block)) return block;
    return { ...block, level: block === title.block ? TITLE : Math.max(1, levelOf(block) - title.raise) };
  });
  return { ...page, blocks };
}

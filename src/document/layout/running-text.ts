// Finds the text that pages repeat at their edges: running heads, page numbers, notices.
import { type Block, isTextBlock, linesIn, type PageLayout, type TextBlock } from "./lines/blocks.ts";
import { PAGE_MARGIN } from "./lines/page-text.ts";
import { lineText } from "./lines/plain-text.ts";

/** Part of the page height at either edge for numbers: LaTeX sets them far from it, beyond all other text. */
const NUMBER_MARGIN = 0.25;
/** Minimum space above the number of a page, in font sizes. */
const NUMBER_SPACE = 1.2;
/** Number of pages that repeat a text; a number of a page counts from fewer. */
const REPEATED = 3;
const REPEATED_NUMBERS = 2;
/** Distance in points of places that are the same. */
const GRAIN = 6;
const NUMBER_ONLY =
  /^(?:[-–—|\s]*(?:(?:page|seite|p\.?|página)\s*)?(?:#|[ivxlc]+)(?:\s*(?:of|\/|von|de|sur|-)\s*#)?[-–—|\s]*)$/i;

export class RunningText {
  /** Number of pages with a text at a place. */
  readonly #counts = new Map<string, number>();
  #pages = 0;

  add(page: PageLayout): void {
    this.#pages++;
    const edges = edgesOf(page);
    const own = new Set(page.blocks.flatMap((block) => keysOf(block, page, edges)));
    for (const key of own) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Marks the blocks that other pages repeat. */
  mark(page: PageLayout): PageLayout {
    const edges = edgesOf(page);
    const blocks = page.blocks.map(
      (block): Block => (this.#isRepeated(block, page, edges) ? { ...(block as TextBlock), kind: "running" } : block),
    );
    return { ...page, blocks };
  }

  #isRepeated(block: Block, page: PageLayout, edges: Edges): boolean {
    const keys = keysOf(block, page, edges);
    if (keys.length === 0) return false;
    if (isOwnNumber(block as TextBlock, page, edges)) return true;
    const most = Math.max(...keys.map((key) => this.#counts.get(key) ?? 0));
    const isNumber = NUMBER_ONLY.test(normalized(block));
    return most >= (isNumber || this.#pages < 2 * REPEATED ? REPEATED_NUMBERS : REPEATED);
  }
}

/** Returns the text with each number as one character. */
const normalized = (block: Block): string => linesIn(block).map(lineText).join(" ").replace(/\d+/g, "#");

/** Returns a key of the text and its place, and of places near it; none away from the edges. */
function keysOf(block: Block, { height }: PageLayout, { top, bottom }: Edges): readonly string[] {
  if (!isTextBlock(block) || block.lines.length > 3) return [];
  const middle = (block.box[1] + block.box[3]) / 2;
  const text = normalized(block);
  const isOutermost = block.box[1] === bottom || block.box[3] === top;
  const margin = isOutermost && NUMBER_ONLY.test(text) ? NUMBER_MARGIN : PAGE_MARGIN;
  if (middle > height * margin && middle < height * (1 - margin)) return [];
  const cell = Math.round((middle > height / 2 ? height - middle : middle) / GRAIN);
  return [-1, 0, 1].map((near) => `${middle > height / 2 ? "top" : "bottom"} ${cell + near} ${text}`);
}

/** The places of a page's outermost blocks. */
interface Edges {
  readonly top: number;
  readonly bottom: number;
  /** Bottom of the block above the lowest one. */
  readonly nextBottom: number;
}

function edgesOf({ blocks }: PageLayout): Edges {
  let [top, bottom, nextBottom] = [-Infinity, Infinity, Infinity];
  for (const { box } of blocks) {
    top = Math.max(top, box[3]);
    nextBottom = Math.min(nextBottom, Math.max(bottom, box[1]));
    bottom = Math.min(bottom, box[1]);
  }
  return { top, bottom, nextBottom };
}

/** Reports whether a block is the number of its page below all other text. */
const isOwnNumber = ({ box, size, lines }: TextBlock, { number }: PageLayout, { bottom, nextBottom }: Edges): boolean =>
  box[1] === bottom &&
  Number.isFinite(nextBottom) &&
  nextBottom > box[3] + NUMBER_SPACE * size &&
  lines.map(lineText).join(" ") === String(number);

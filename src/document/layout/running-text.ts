// Finds the text that pages repeat at their edges: running heads, page numbers, notices.
import { type Block, linesIn, type PageLayout, type TextBlock } from "./lines/blocks.ts";
import { lineText } from "./lines/plain-text.ts";

/** Part of the page height at either edge. */
const MARGIN = 0.14;
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
    const own = new Set(page.blocks.flatMap((block) => keysOf(block, page)));
    for (const key of own) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Marks the blocks that other pages repeat. */
  mark(page: PageLayout): PageLayout {
    const blocks = page.blocks.map(
      (block): Block => (this.#isRepeated(block, page) ? { ...(block as TextBlock), kind: "running" } : block),
    );
    return { ...page, blocks };
  }

  #isRepeated(block: Block, page: PageLayout): boolean {
    const keys = keysOf(block, page);
    if (keys.length === 0) return false;
    const most = Math.max(...keys.map((key) => this.#counts.get(key) ?? 0));
    const isNumber = NUMBER_ONLY.test(normalized(block));
    return most >= (isNumber || this.#pages < 2 * REPEATED ? REPEATED_NUMBERS : REPEATED);
  }
}

/** Returns the text with each number as one character. */
const normalized = (block: Block): string => linesIn(block).map(lineText).join(" ").replace(/\d+/g, "#");

/** Returns a key of the text and its place, and of places near it; none away from the edges. */
function keysOf(block: Block, { height }: PageLayout): readonly string[] {
  if (block.kind === "table" || block.kind === "figure" || block.lines.length > 3) return [];
  const middle = (block.box[1] + block.box[3]) / 2;
  if (middle > height * MARGIN && middle < height * (1 - MARGIN)) return [];
  const text = normalized(block);
  const cell = Math.round((middle > height / 2 ? height - middle : middle) / GRAIN);
  return [-1, 0, 1].map((near) => `${middle > height / 2 ? "top" : "bottom"} ${cell + near} ${text}`);
}

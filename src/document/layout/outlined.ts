// Finds the headings that the outline of a document lists. Its titles can lack numbers, spaces and case.
import { type Block, isTextBlock, linesIn, type PageLayout, type TextBlock } from "./lines/blocks.ts";
import { lineText } from "./lines/plain-text.ts";

const MAX_LINES = 4;
/** Maximum number of texts of a page with one title. */
const MAX_SAME = 50;

type Bookmark = NonNullable<PageLayout["bookmarks"]>[number];

export const textOf = (block: TextBlock): string => linesIn(block).map(lineText).join(" ");

/** Returns the bookmarks of the headings of a page. A contents list can repeat a title at another place. */
export function outlinedHeadings({
  blocks,
  bookmarks = [],
  height,
}: Pick<PageLayout, "blocks" | "bookmarks" | "height">): ReadonlyMap<Block, Bookmark> {
  const found = new Map<Block, Bookmark>();
  if (bookmarks.length === 0) return found;
  const short = blocks.filter(
    (block): block is TextBlock => isTextBlock(block) && block.kind !== "running" && block.lines.length <= MAX_LINES,
  );
  const byTitle = Map.groupBy(short, (block) => titleKey(textOf(block)));
  for (const bookmark of bookmarks) {
    const same = byTitle.get(titleKey(bookmark.title))?.slice(0, MAX_SAME);
    if (!same) continue;
    const distance = ({ box, size }: TextBlock) =>
      Number.isNaN(bookmark.top) ? -size : Math.abs(height - box[3] - bookmark.top);
    const nearest = same.reduce((one, other) => (distance(other) < distance(one) ? other : one));
    if (!found.has(nearest)) found.set(nearest, bookmark);
  }
  return found;
}

/** Returns the letters and digits of a title, without a number before it. */
function titleKey(title: string): string {
  const text = title.normalize("NFKC").toLowerCase();
  const rest = text.replace(/^[\d.()\s-]+/, "").replace(/^(?:[a-z]|[ivxlc]{2,7})[.)]\s/, "");
  return (/\p{L}/u.test(rest) ? rest : text).replace(/[^\p{L}\p{N}]/gu, "");
}

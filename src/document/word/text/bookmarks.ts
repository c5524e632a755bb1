// The places in a document that links and its outline lead to.
import { type Block, isTextBlock, type PageLayout, type TextBlock } from "../../layout/lines/blocks.ts";
import { outlinedHeadings } from "../../layout/outlined.ts";

/** Distance in points below the start of a text up to which a place belongs to it, and weight of being further below. */
const ABOVE = 6;
const BELOW = 3;
/** Cost of being left of a place by more than so many points, as another column is. */
const ELSEWHERE = 1000;
const ELSEWHERE_LEFT = 100;
const MAX_PLACES = 20_000;
const LONGEST_NAME = 40;
const TARGET = /^#page=(\d{1,9})(?:&left=(-?[\d.]+))?(?:&top=(-?[\d.]+))?/;

interface Place {
  readonly left: number;
  readonly top: number;
}

export class Bookmarks {
  /** The names of the places that links lead to on pages to come. */
  readonly #wanted = new Map<number, Map<string, Place>>();
  /** The places of names on pages so far. */
  readonly #known = new Map<number, (readonly [string, Place])[]>();
  readonly #names = new Set<string>();
  #count = 0;

  /** Returns the name of the place that a link leads to. @returns undefined if it leads to no page */
  nameOf(link: string): string | undefined {
    const [, number, left, top] = TARGET.exec(link) ?? [];
    if (number === undefined) return undefined;
    const page = Number(number);
    if (top === undefined || this.#count >= MAX_PLACES) return startOf(page);
    const place = { left: Number(left ?? Number.NaN), top: Number(top) };
    const known = this.#known.get(page);
    if (known) return leastBy(known, ([, one]) => distance(place, one))?.[0] ?? startOf(page);
    const wanted = this.#wanted.get(page) ?? new Map<string, Place>();
    this.#wanted.set(page, wanted);
    const name = `_place${page}_${Math.round(place.left) || 0}_${Math.round(place.top)}`.replaceAll("-", "m");
    if (!wanted.has(name)) this.#count++;
    wanted.set(name, place);
    return name;
  }

  /** Returns the names of the texts of a page. */
  of(page: PageLayout): ReadonlyMap<Block, readonly string[]> {
    const { number, blocks, bookmarks = [], height } = page;
    const names = new Map<Block, string[]>();
    const texts = blocks.filter(
      (block): block is TextBlock => isTextBlock(block) && block.kind !== "running" && block.kind !== "footnote",
    );
    const [first] = texts;
    if (!first) return names;
    const placeOf = ({ box }: Block): Place => ({ left: box[0], top: height - box[3] });
    const add = (block: Block, name: string) => {
      const own = names.get(block) ?? [];
      names.set(block, [...own, name]);
      const known = this.#known.get(number) ?? [];
      if (this.#count++ < MAX_PLACES) this.#known.set(number, [...known, [name, placeOf(block)]]);
    };
    add(first, startOf(number));
    const nearest = (place: Place) => leastBy(texts, (block) => distance(place, placeOf(block))) ?? first;
    for (const [name, place] of this.#wanted.get(number) ?? []) add(nearest(place), name);
    this.#wanted.delete(number);
    const headings = new Map(Array.from(outlinedHeadings(page), ([block, bookmark]) => [bookmark, block]));
    for (const bookmark of bookmarks) {
      const name = this.#newName(bookmark.title);
      const place = Number.isNaN(bookmark.top) ? first : nearest(bookmark);
      if (name !== undefined) add(headings.get(bookmark) ?? place, name);
    }
    return names;
  }

  /** Returns a name that is not used yet. @returns undefined if the title has no letters, or there are too many names */
  #newName(title: string): string | undefined {
    const stem = title
      .replace(/[^\p{L}\p{N}]+/gu, "_")
      .replace(/^[^\p{L}]+|_$/gu, "")
      .slice(0, LONGEST_NAME - 6);
    if (stem === "" || this.#names.size >= MAX_PLACES) return undefined;
    const isFree = !this.#names.has(stem.toLowerCase());
    const name = isFree ? stem : `${stem}_${this.#names.size}`;
    this.#names.add(name.toLowerCase());
    return name;
  }
}

const startOf = (page: number): string => `_page${page}`;

/** Returns how far a text is from a place that shows it. */
function distance(place: Place, text: Place): number {
  const below = text.top - place.top + ABOVE;
  // Places to the left of a column, or at the edge of the page, lead to it, too.
  const isBeside = place.left > text.left + ELSEWHERE_LEFT;
  return (below >= 0 ? below : -BELOW * below) + (isBeside ? ELSEWHERE : 0);
}

function leastBy<T>(items: readonly T[], costOf: (item: T) => number): T | undefined {
  let [least, found] = [Number.POSITIVE_INFINITY, undefined as T | undefined];
  for (const item of items) {
    const cost = costOf(item);
    if (cost < least) [least, found] = [cost, item];
  }
  return found;
}

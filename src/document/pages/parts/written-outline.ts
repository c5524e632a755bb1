// Writes an outline (ISO 32000-1, 12.3.3), or adds items to the outline of a document.

import type { PdfFile } from "../../objects/pdf-file.ts";
import { encodeTextString } from "../../objects/text-strings.ts";
import { Dictionary, Name, Reference, type Value } from "../../objects/values.ts";
import { quarterTurns, visibleBox } from "../page-size.ts";
import { pageDictionary, type SourcePage } from "../pages.ts";

export interface NewBookmark {
  readonly title: string;
  /** The page number, from 1. */
  readonly page: number;
  readonly children?: readonly NewBookmark[];
  /** False if viewers hide the children at first. @default true */
  readonly open?: boolean;
  readonly bold?: boolean;
  readonly italic?: boolean;
  /** Red, green and blue, from 0 to 255. @default black */
  readonly color?: readonly number[];
}

/** The items of one level. */
interface Level {
  readonly first: Reference;
  readonly last: Reference;
  /** Number of items that viewers show while the level is open. */
  readonly visible: number;
}

/** Flags of an item (table 154). */
const ITALIC = 1;
const BOLD = 2;
/** Maximum number of old items, because malformed chains of items can be endless. */
const MAX_ITEMS = 1_000_000;
/** A magnification that leaves the present one unchanged (table 151). */
const UNCHANGED = 0;
/** Approximate memory per old item. */
const ITEM_BYTES = 40;

/** Replaces the outline; without bookmarks, the document has none. The pages of the bookmarks must exist. */
export function replaceOutline(file: PdfFile, pages: readonly SourcePage[], bookmarks: readonly NewBookmark[]): void {
  const root = file.reserve();
  const level = new Writer(file, pages).level(bookmarks, root);
  const catalog = file.catalog.clone();
  catalog.set("Outlines", level ? root : null);
  if (level) putRoot(file, root, level);
  file.catalog = catalog;
}

/** Adds bookmarks after those of the document. The pages of the bookmarks must exist. */
export function extendOutline(file: PdfFile, pages: readonly SourcePage[], bookmarks: readonly NewBookmark[]): void {
  const old = topLevel(file);
  const [first, last] = [old[0], old.at(-1)];
  if (!first || !last) {
    replaceOutline(file, pages, bookmarks);
    return;
  }
  const current = file.catalog.get("Outlines");
  const root = current instanceof Reference ? current : file.reserve();
  const level = new Writer(file, pages).level(bookmarks, root, last);
  if (!level) return;
  let visible = 0;
  for (const [index, reference] of old.entries()) {
    const item = file.dictionary(reference)!;
    visible += 1 + Math.max(0, file.number(item.get("Count")) ?? 0);
    const place = { Parent: root, Prev: old[index - 1], Next: old[index + 1] ?? level.first };
    // Items in their right place are not written, because there can be many.
    if (Object.entries(place).some(([key, target]) => numberOf(item.get(key)) !== target?.number))
      file.put(reference, withPlace(item, place));
  }
  putRoot(file, root, { first, last: level.last, visible: visible + level.visible });
  const catalog = file.catalog.clone();
  file.catalog = catalog.set("Outlines", root);
}

function withPlace(item: Dictionary, place: Readonly<Record<string, Reference | undefined>>): Dictionary {
  const placed = item.clone();
  for (const [key, target] of Object.entries(place)) placed.set(key, target ?? null);
  return placed;
}

const numberOf = (value: Value | undefined): number | undefined =>
  value instanceof Reference ? value.number : undefined;

const putRoot = (file: PdfFile, root: Reference, { first, last, visible }: Level): void =>
  file.put(root, Dictionary.of({ Type: Name.of("Outlines"), First: first, Last: last, Count: visible }));

/** Returns the items of the first level, in their order. */
function topLevel(file: PdfFile): readonly Reference[] {
  const seen = new Set<number>();
  const items: Reference[] = [];
  let next = file.dictionary(file.catalog.get("Outlines"))?.get("First");
  while (next instanceof Reference && !seen.has(next.number) && items.length < MAX_ITEMS) {
    const item = file.dictionary(next);
    if (!item) break;
    file.budget.charge(ITEM_BYTES);
    seen.add(next.number);
    items.push(next);
    next = item.get("Next");
  }
  return items;
}

class Writer {
  readonly #file: PdfFile;
  readonly #pages: readonly SourcePage[];

  constructor(file: PdfFile, pages: readonly SourcePage[]) {
    this.#file = file;
    this.#pages = pages;
  }

  /**
   * @param before the item that the first bookmark follows
   * @returns undefined without bookmarks
   */
  level(bookmarks: readonly NewBookmark[], parent: Reference, before?: Reference): Level | undefined {
    const references = bookmarks.map(() => this.#file.reserve());
    const [first, last] = [references[0], references.at(-1)];
    let visible = 0;
    for (const [index, bookmark] of bookmarks.entries()) {
      const reference = references[index]!;
      const kids = this.level(bookmark.children ?? [], reference);
      const isOpen = bookmark.open ?? true;
      visible += 1 + (kids && isOpen ? kids.visible : 0);
      const item = this.#item(bookmark);
      item.set("Parent", parent).set("Prev", references[index - 1] ?? before ?? null);
      item.set("Next", references[index + 1] ?? null);
      if (kids)
        item
          .set("First", kids.first)
          .set("Last", kids.last)
          .set("Count", isOpen ? kids.visible : -kids.visible);
      this.#file.put(reference, item);
    }
    return first && last && { first, last, visible };
  }

  #item({ title, page, bold, italic, color }: NewBookmark): Dictionary {
    const flags = (bold ? BOLD : 0) + (italic ? ITALIC : 0);
    return Dictionary.of({
      Title: encodeTextString(title.toWellFormed()),
      Dest: this.#destination(this.#pages[page - 1]!),
      ...(flags > 0 ? { F: flags } : {}),
      ...(color ? { C: color.map((part) => Math.round((part / 255) * 10_000) / 10_000) } : {}),
    });
  }

  /** Returns the top left corner of a page as viewers show it. */
  #destination(page: SourcePage): Value[] {
    const dictionary = pageDictionary(this.#file, page);
    const [left, bottom, right, top] = visibleBox(this.#file, dictionary);
    const corners = [
      [left, top],
      [left, bottom],
      [right, bottom],
      [right, top],
    ] as const;
    return [page.reference, Name.of("XYZ"), ...corners[quarterTurns(this.#file, dictionary)]!, UNCHANGED];
  }
}

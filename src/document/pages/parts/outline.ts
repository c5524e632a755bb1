// Merges the outlines of all inputs (ISO 32000-1, 12.3.3). An item that leads to an omitted page is kept only if one of
// its kids is kept.

import { decodeTextString } from "../../objects/text-strings.ts";
import { Dictionary, Name, Reference } from "../../objects/values.ts";
import type { AssemblyTarget, DocumentPart, InputSelection } from "../assemble.ts";
import type { SourceDocument } from "../source-document.ts";
import type { Actions } from "./actions.ts";
import { pageOfDestination } from "./destinations.ts";

/** Approximate memory per item. */
const ITEM_BYTES = 160;
/** Maximum number of items, because malformed chains of items can be endless. */
const MAX_ITEMS = 1_000_000;
/** Entries for an item's position, which are rebuilt. */
const PLACE_ENTRIES = ["Parent", "Prev", "Next", "First", "Last", "Count"];

/** `nowhere`: the item has no target. `elsewhere`: the target is not a page of the document. */
type Goal = Reference | "nowhere" | "elsewhere";

interface Item {
  readonly index: number;
  readonly reference: Reference;
  /** Index of the parent item, -1 at the top level. */
  readonly parent: number;
  readonly isOpen: boolean;
  readonly goal: Goal;
}

interface Items {
  /** The items, parents and earlier siblings first. */
  readonly items: readonly Item[];
  /** The items for each page, by object number of the page. */
  readonly byPage: ReadonlyMap<number, readonly Item[]>;
  readonly elsewhere: readonly Item[];
}

function findItems(source: SourceDocument): Items {
  const { file } = source;
  const items: Item[] = [];
  const byPage = new Map<number, Item[]>();
  const elsewhere: Item[] = [];
  const seen = new Set<number>();
  const waiting: { value: unknown; parent: number }[] = [
    { value: file.dictionary(file.catalog.get("Outlines"))?.get("First"), parent: -1 },
  ];
  for (let next = waiting.pop(); next && items.length < MAX_ITEMS; next = waiting.pop()) {
    const { value, parent } = next;
    if (!(value instanceof Reference) || seen.has(value.number)) continue;
    seen.add(value.number);
    const dictionary = file.dictionary(value);
    if (!dictionary) continue;
    file.budget.charge(ITEM_BYTES);
    const isOpen = (file.number(dictionary.get("Count")) ?? 0) >= 0;
    const goal = goalOf(source, dictionary);
    const item: Item = { index: items.length, reference: value, parent, isOpen, goal };
    items.push(item);
    if (goal === "elsewhere") elsewhere.push(item);
    else if (goal instanceof Reference) add(byPage, goal.number, item);
    waiting.push({ value: dictionary.get("Next"), parent }, { value: dictionary.get("First"), parent: item.index });
  }
  return { items, byPage, elsewhere };
}

/** An outline item, as a viewer lists it. */
export interface Bookmark {
  readonly title: string;
  /** Page index, from 0; -1 if the item has no target page. */
  readonly page: number;
  /** Index of the parent item, -1 at the top level. */
  readonly parent: number;
}

const MAX_TITLE = 500;

/** @returns at most `limit` items, parents and earlier siblings first */
export function bookmarksOf(source: SourceDocument, limit: number): readonly Bookmark[] {
  const { file } = source;
  return source
    .once(findItems)
    .items.slice(0, limit)
    .map(({ reference, goal, parent }) => {
      const title = file.string(file.dictionary(reference)?.get("Title"));
      const page = goal instanceof Reference ? (source.pageIndex(goal) ?? -1) : -1;
      return { title: title ? decodeTextString(title).slice(0, MAX_TITLE) : "", page, parent };
    });
}

function goalOf(source: SourceDocument, item: Dictionary): Goal {
  const { file } = source;
  const destination = item.get("Dest");
  if (destination !== undefined) return pageOfDestination(source, destination) ?? "nowhere";
  const action = file.dictionary(item.get("A"));
  if (!action) return "nowhere";
  if (file.name(action.get("S")) !== "GoTo") return "elsewhere";
  return pageOfDestination(source, action.get("D")) ?? "nowhere";
}

/** An item in the target while the outline is built. */
interface Placed {
  readonly reference: Reference;
  readonly dictionary: Dictionary;
  readonly parent: Placed | undefined;
  readonly isOpen: boolean;
  last: Placed | undefined;
  /** Number of descendants that are visible while the item is open. */
  visible: number;
}

export class Outline implements DocumentPart {
  readonly #actions: Actions;
  #root: Reference | undefined;
  #first: Reference | undefined;
  #last: Placed | undefined;
  #visible = 0;

  constructor(actions: Actions) {
    this.#actions = actions;
  }

  open({ source, copier, result }: InputSelection): void {
    this.#root ??= result.file.reserve();
    const { file } = source;
    const root = file.catalog.get("Outlines");
    if (root instanceof Reference) copier.seed(root, this.#root);
    const { items } = source.once(findItems);
    if (items.length === 0) return;
    const numbers = source.once(findNumbers);
    copier.onVisit((dictionary, reference) => {
      // `close` copies the items, when their positions are known. Other references to items lead to empty copies.
      if (!reference || !numbers.has(reference.number)) return;
      dictionary.clear();
    });
  }

  close(taking: InputSelection): void {
    const { source, copier, result } = taking;
    const { items } = source.once(findItems);
    const placed = new Map<number, Placed>();
    const inOrder: Placed[] = [];
    for (const index of keptItems(taking)) {
      const item = items[index]!;
      const dictionary = source.file.dictionary(item.reference)!.clone();
      for (const key of PLACE_ENTRIES) dictionary.delete(key);
      this.#actions.settle(dictionary);
      const element = dictionary.get("SE");
      if (element instanceof Reference && !copier.targetOf(element)) dictionary.delete("SE");
      const entry: Placed = {
        reference: result.file.reserve(),
        dictionary: copier.dictionary(dictionary),
        parent: placed.get(item.parent),
        isOpen: item.isOpen,
        last: undefined,
        visible: 0,
      };
      placed.set(index, entry);
      inOrder.push(entry);
      result.file.put(entry.reference, entry.dictionary);
      this.#append(entry);
    }
    this.#count(inOrder);
  }

  #append(entry: Placed): void {
    const { reference, dictionary, parent } = entry;
    const elder = parent ? parent.last : this.#last;
    dictionary.set("Parent", parent?.reference ?? this.#root!);
    if (elder) {
      elder.dictionary.set("Next", reference);
      dictionary.set("Prev", elder.reference);
    } else if (parent) parent.dictionary.set("First", reference);
    else this.#first = reference;
    if (!parent) this.#last = entry;
    else {
      parent.last = entry;
      parent.dictionary.set("Last", reference);
    }
  }

  /**
   * Sets Count: the number of visible descendants of an open item; for a closed item, minus the number that would
   * become visible (table 153).
   */
  #count(entries: readonly Placed[]): void {
    for (let index = entries.length - 1; index >= 0; index--) {
      const { parent, dictionary, isOpen, visible } = entries[index]!;
      if (visible > 0) dictionary.set("Count", isOpen ? visible : -visible);
      const seen = 1 + (isOpen ? visible : 0);
      if (parent) parent.visible += seen;
      else this.#visible += seen;
    }
  }

  finish({ file, catalog }: AssemblyTarget): void {
    if (!this.#first || !this.#last || !this.#root) return;
    file.put(
      this.#root,
      Dictionary.of({
        Type: Name.of("Outlines"),
        First: this.#first,
        Last: this.#last.reference,
        Count: this.#visible,
      }),
    );
    catalog.set("Outlines", this.#root);
  }
}

function findNumbers(source: SourceDocument): ReadonlySet<number> {
  return new Set(source.once(findItems).items.map(({ reference }) => reference.number));
}

/** @returns indexes in source order */
function keptItems({ source, pages, isWhole }: InputSelection): number[] {
  const { items, byPage, elsewhere } = source.once(findItems);
  if (isWhole) return [...items.keys()];
  const kept = new Set<number>();
  const keep = (item: Item) => {
    for (let at: Item | undefined = item; at && !kept.has(at.index); at = items[at.parent]) kept.add(at.index);
  };
  for (const { source: page, repeat } of pages)
    if (repeat === 0) for (const item of byPage.get(page.number) ?? []) keep(item);
  for (const item of elsewhere) keep(item);
  return [...kept].sort((a, b) => a - b);
}

function add<T>(lists: Map<number, T[]>, key: number, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

// Pairs the pages of two documents: by the words that they share, and else by their order.
import { diffArrays } from "diff";
import type { SharedWords } from "./changed-words.ts";

/** Page numbers from 1. A page without counterpart was removed or added. */
export interface PagePair {
  readonly original?: number;
  readonly compared?: number;
}

interface Candidate {
  readonly original: number;
  readonly compared: number;
  readonly words: number;
}

/** Returns a text that is equal for pages that look the same. @param page from 1 */
export type Look = (page: number) => Promise<string>;

export interface PagesOf {
  readonly count: number;
  readonly look: Look;
}

/** Returns the pairs in the order of both documents. */
export async function pairPages(shared: SharedWords, original: PagesOf, compared: PagesOf): Promise<PagePair[]> {
  const anchors = [
    ...heaviestChain(candidatesOf(shared)),
    { original: original.count + 1, compared: compared.count + 1 },
  ];
  const pairs: PagePair[] = [];
  let [nextOriginal, nextCompared] = [1, 1];
  for (const anchor of anchors) {
    const gap = await pairByOrder(range(nextOriginal, anchor.original), range(nextCompared, anchor.compared), [
      original.look,
      compared.look,
    ]);
    pairs.push(...gap);
    if (anchor.original <= original.count) pairs.push({ original: anchor.original, compared: anchor.compared });
    [nextOriginal, nextCompared] = [anchor.original + 1, anchor.compared + 1];
  }
  return pairs;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

const candidatesOf = (shared: SharedWords): readonly Candidate[] =>
  [...shared].map(([key, words]) => {
    const [original, compared] = key.split(" ").map(Number) as [number, number];
    return { original, compared, words };
  });

/** Returns the pairs that keep the order of both documents and share the most words. */
function heaviestChain(candidates: readonly Candidate[]): readonly Candidate[] {
  interface Link extends Candidate {
    readonly total: number;
    readonly before: Link | undefined;
  }
  const best = new BestBefore<Link>();
  const sorted = candidates.toSorted((a, b) => a.original - b.original || b.compared - a.compared);
  for (const candidate of sorted) {
    const before = best.below(candidate.compared);
    best.add(candidate.compared, { ...candidate, total: candidate.words + (before?.total ?? 0), before });
  }
  const chain: Candidate[] = [];
  for (let link = best.below(Number.MAX_SAFE_INTEGER); link; link = link.before) chain.push(link);
  return chain.reverse();
}

/** The heaviest link among those with a lower page number (a binary indexed tree). */
class BestBefore<T extends { readonly total: number }> {
  readonly #tree: (T | undefined)[] = [];

  add(page: number, link: T): void {
    for (let at = page; at < MAX_PAGES; at += at & -at) {
      if ((this.#tree[at]?.total ?? 0) < link.total) this.#tree[at] = link;
    }
  }

  below(page: number): T | undefined {
    let best: T | undefined;
    for (let at = Math.min(page, MAX_PAGES) - 1; at > 0; at -= at & -at) {
      if ((this.#tree[at]?.total ?? 0) > (best?.total ?? 0)) best = this.#tree[at];
    }
    return best;
  }
}
const MAX_PAGES = 2 ** 20;

/** Pairs pages that share no words with others. Their looks decide if their numbers differ. */
async function pairByOrder(
  original: readonly number[],
  compared: readonly number[],
  [lookOfOriginal, lookOfCompared]: readonly [Look, Look],
): Promise<readonly PagePair[]> {
  if (original.length === compared.length || original.length === 0 || compared.length === 0) {
    return inOrder(original, compared);
  }
  const [looks, others] = [await all(original, lookOfOriginal), await all(compared, lookOfCompared)];
  const pairs: PagePair[] = [];
  let removed: number[] = [];
  let added: number[] = [];
  let [at, to] = [0, 0];
  for (const { count, ...part } of diffArrays(looks, others)) {
    const [pages, counterparts] = [original.slice(at, at + count), compared.slice(to, to + count)];
    if (!part.added) at += count;
    if (!part.removed) to += count;
    if (part.removed) removed = pages;
    else if (part.added) added = counterparts;
    else {
      pairs.push(...inOrder(removed, added), ...inOrder(pages, counterparts));
      [removed, added] = [[], []];
    }
  }
  return [...pairs, ...inOrder(removed, added)];
}

async function all(pages: readonly number[], look: Look): Promise<string[]> {
  const looks: string[] = [];
  for (const page of pages) looks.push(await look(page));
  return looks;
}

const inOrder = (original: readonly number[], compared: readonly number[]): readonly PagePair[] =>
  Array.from({ length: Math.max(original.length, compared.length) }, (_, at) => ({
    ...(original[at] === undefined ? {} : { original: original[at] }),
    ...(compared[at] === undefined ? {} : { compared: compared[at] }),
  }));

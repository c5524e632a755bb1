// Finds words that are equal and stand at the same place, although the order in which the pages are read differs.
import type { Stretch } from "./alignment.ts";
import type { DocumentWords } from "./document-words.ts";
import type { PagePair } from "./page-pairs.ts";

type Range = readonly [from: number, to: number];

/** Returns the stretches without words that stand at the same place of both pages of a pair. */
export function withoutUnmoved(
  stretches: readonly Stretch[],
  pairs: readonly PagePair[],
  documents: readonly [original: DocumentWords, compared: DocumentWords],
): readonly Stretch[] {
  const [original, compared] = documents;
  const removed = byPage(original, stretches, (stretch) => stretch.original);
  const added = byPage(compared, stretches, (stretch) => stretch.compared);
  const unmoved = [new Set<number>(), new Set<number>()] as const;
  for (const pair of pairs) {
    const left = placesOf(original, removed.get(pair.original));
    for (const word of added.get(pair.compared) ?? []) {
      const same = left.get(placeOf(compared, word));
      if (same === undefined) continue;
      unmoved[0].add(same);
      unmoved[1].add(word);
    }
  }
  return unmoved[0].size === 0 ? stretches : stretches.flatMap((stretch) => without(unmoved, stretch));
}

function byPage(
  words: DocumentWords,
  stretches: readonly Stretch[],
  rangeOf: (stretch: Stretch) => Range,
): ReadonlyMap<number | undefined, readonly number[]> {
  const pages = new Map<number, number[]>();
  for (const stretch of stretches) {
    const [from, to] = rangeOf(stretch);
    for (let word = from; word < to; word++) {
      const page = words.pageOf(word);
      const known = pages.get(page);
      if (known) known.push(word);
      else pages.set(page, [word]);
    }
  }
  return pages;
}

const placesOf = (document: DocumentWords, words: readonly number[] = []): ReadonlyMap<string, number> =>
  new Map(words.map((word) => [placeOf(document, word), word]));

const placeOf = (document: DocumentWords, word: number): string =>
  `${document.ids[word]} ${document.boxOf(word).map((points) => Math.round(points * 10))}`;

/** Divides a stretch at the words to leave out. */
function without(words: readonly [ReadonlySet<number>, ReadonlySet<number>], stretch: Stretch): Stretch[] {
  const removed = rangesWithout(words[0], stretch.original);
  const added = rangesWithout(words[1], stretch.compared);
  const none = ([, to]: Range): Range => [to, to];
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, at) => ({
    original: removed[at] ?? none(stretch.original),
    compared: added[at] ?? none(stretch.compared),
  }));
}

function rangesWithout(words: ReadonlySet<number>, [from, to]: Range): Range[] {
  const ranges: Range[] = [];
  let start = from;
  for (let word = from; word <= to; word++) {
    if (word < to && !words.has(word)) continue;
    if (word > start) ranges.push([start, word]);
    start = word + 1;
  }
  return ranges;
}

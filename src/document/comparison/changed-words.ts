// Finds the words that differ between two documents. Text that moves to another line or page is equal.
import { alignWords, type Stretch } from "./alignment.ts";
import type { DocumentWords, Passage } from "./document-words.ts";
import { settledParts } from "./settled-parts.ts";

/** Words of the original that were removed, and words that were added in their place. At least one of both is there. */
export interface Change {
  readonly removed?: Passage;
  readonly added?: Passage;
}

/** Number of equal words by pages of both documents. */
export type SharedWords = ReadonlyMap<string, number>;

const pagesKey = (original: number, compared: number): string => `${original} ${compared}`;

export interface WordComparison {
  /** Stretches of words that differ, in the order of the original. */
  readonly stretches: readonly Stretch[];
  readonly shared: SharedWords;
}

export function compareWords(original: DocumentWords, compared: DocumentWords): WordComparison {
  const stretches: Stretch[] = [];
  const shared = new Map<string, number>();
  for (const { isEqual, ...part } of settledParts(alignWords(original, compared), original, compared)) {
    if (!isEqual) {
      if (!differsInDivisions(part, original, compared)) stretches.push(part);
    } else
      for (let at = part.original[0], to = part.compared[0]; at < part.original[1]; at++, to++) {
        const key = pagesKey(original.pageOf(at), compared.pageOf(to));
        shared.set(key, (shared.get(key) ?? 0) + 1);
      }
  }
  return { stretches, shared };
}

/**
 * Reports whether the words of a stretch differ only in hyphens that divide them at the end of a line. In one document
 * a hyphen can seem to be part of the word, and in the other one not.
 */
function differsInDivisions(
  { original: [a, b], compared: [c, d] }: Stretch,
  original: DocumentWords,
  compared: DocumentWords,
): boolean {
  if (a === b || c === d) return false;
  const [one, other] = [original.lettersOf(a, b), compared.lettersOf(c, d)];
  return (one.isDivided || other.isDivided) && one.letters === other.letters;
}

/** Returns the changes of a stretch, one for each page. */
export function* changesIn(
  { original: [a, b], compared: [c, d] }: Stretch,
  original: DocumentWords,
  compared: DocumentWords,
): Generator<Change> {
  const [removed, added] = [original.passages(a, b), compared.passages(c, d)];
  for (let at = 0; at < Math.max(removed.length, added.length); at++) {
    yield {
      ...(removed[at] ? { removed: removed[at] } : {}),
      ...(added[at] ? { added: added[at] } : {}),
    };
  }
}

// Finds the words that differ between two documents. Text that moves to another line or page is equal.
import { diffArrays } from "diff";
import type { DocumentWords, Passage } from "./document-words.ts";

/** Maximum number of edits that are searched between two sequences. The time grows with its square. */
const MAX_EDITS = 4000;

/** Words of the original that were removed, and words that were added in their place. At least one of both is there. */
export interface Change {
  readonly removed?: Passage;
  readonly added?: Passage;
}

/** Indexes of words of both documents, of which the first are included and the last are not. */
export interface Stretch {
  readonly original: readonly [from: number, to: number];
  readonly compared: readonly [from: number, to: number];
}

interface Part extends Stretch {
  readonly isEqual: boolean;
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
  for (const { isEqual, ...part } of alignWords(original, compared)) {
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

/** Aligns all words; if there are too many edits, only those of blocks that differ. */
function alignWords(original: DocumentWords, compared: DocumentWords): readonly Part[] {
  const words = align(original.ids, compared.ids, whole(original.ids, compared.ids));
  if (words) return words;
  const all = whole(original.blockIds, compared.blockIds);
  const blocks = align(original.blockIds, compared.blockIds, all) ?? [{ ...all, isEqual: false }];
  return blocks.flatMap(({ isEqual, original: [a, b], compared: [c, d] }) => {
    const part: Stretch = {
      original: [startOf(original, a), startOf(original, b)],
      compared: [startOf(compared, c), startOf(compared, d)],
    };
    const aligned = isEqual ? undefined : align(original.ids, compared.ids, part);
    return aligned ?? [{ ...part, isEqual }];
  });
}

const whole = (one: readonly unknown[], other: readonly unknown[]): Stretch => ({
  original: [0, one.length],
  compared: [0, other.length],
});

const startOf = ({ blockStarts, ids }: DocumentWords, block: number): number => blockStarts[block] ?? ids.length;

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

/**
 * Divides a stretch of two sequences into parts that are equal and parts that differ.
 * @returns undefined if there are more than {@link MAX_EDITS}
 */
function align(
  one: readonly number[],
  other: readonly number[],
  { original, compared }: Stretch,
): readonly Part[] | undefined {
  const changes = diffArrays(one.slice(...original), other.slice(...compared), { maxEditLength: MAX_EDITS });
  if (!changes) return undefined;
  const parts: Part[] = [];
  let [at, to] = [original[0], compared[0]];
  for (const { count, added, removed } of changes) {
    const [start, begin] = [at, to];
    if (!added) at += count;
    if (!removed) to += count;
    const isEqual = !(added || removed);
    const last = parts.at(-1);
    if (last && !last.isEqual && !isEqual) {
      parts[parts.length - 1] = { original: [last.original[0], at], compared: [last.compared[0], to], isEqual };
    } else parts.push({ original: [start, at], compared: [begin, to], isEqual });
  }
  return parts;
}

// Aligns the words of two documents: parts that are equal, and parts that differ.
import { diffArrays } from "diff";
import type { DocumentWords } from "./document-words.ts";

/** Maximum number of edits that are searched between two sequences. The time grows with its square. */
const MAX_EDITS = 4000;

/** Indexes of words of both documents, of which the first are included and the last are not. */
export interface Stretch {
  readonly original: readonly [from: number, to: number];
  readonly compared: readonly [from: number, to: number];
}

export interface Part extends Stretch {
  readonly isEqual: boolean;
}

/** Aligns all words; if there are too many edits, only those of blocks that differ. */
export function alignWords(original: DocumentWords, compared: DocumentWords): readonly Part[] {
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

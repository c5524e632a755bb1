// Moves removed and added words to where a reader sees them: "Page 2 of the report", not "2 of the report / Page", was
// removed between two pages that start with the same word.
import type { Part } from "./alignment.ts";
import type { DocumentWords } from "./document-words.ts";

/** Returns the parts with words that were only removed, or only added, moved back to the start of a block. */
export function settledParts(
  parts: readonly Part[],
  original: DocumentWords,
  compared: DocumentWords,
): readonly Part[] {
  const [startsOfOriginal, startsOfCompared] = [new Set(original.blockStarts), new Set(compared.blockStarts)];
  const settled: Part[] = [];
  for (const part of parts) {
    const before = settled.at(-1);
    const [[a, b], [c, d]] = [part.original, part.compared];
    if (part.isEqual || !before?.isEqual || (a < b && c < d)) {
      settled.push(part);
      continue;
    }
    const most = before.original[1] - before.original[0];
    const back =
      a < b
        ? distanceBack([a, b], most, original.ids, startsOfOriginal)
        : distanceBack([c, d], most, compared.ids, startsOfCompared);
    if (back === 0) settled.push(part);
    else settled.splice(-1, 1, ...moved(before, part, back));
  }
  return settled.filter((part) => part.original[1] > part.original[0] || part.compared[1] > part.compared[0]);
}

/** Returns the number of words by which a range can start earlier, so that a block starts there; 0 if none does. */
function distanceBack(
  [from, to]: readonly [from: number, to: number],
  most: number,
  ids: readonly number[],
  starts: ReadonlySet<number>,
): number {
  let back = 0;
  while (!starts.has(from - back)) {
    if (back === most || ids[from - back - 1] !== ids[to - back - 1]) return 0;
    back++;
  }
  return back;
}

/** Returns equal words, the words that differ after them, and the equal words over which those were moved. */
function moved(before: Part, { original: [a, b], compared: [c, d] }: Part, back: number): readonly Part[] {
  return [
    { original: [before.original[0], a - back], compared: [before.compared[0], c - back], isEqual: true },
    { original: [a - back, b - back], compared: [c - back, d - back], isEqual: false },
    { original: [b - back, b], compared: [d - back, d], isEqual: true },
  ];
}

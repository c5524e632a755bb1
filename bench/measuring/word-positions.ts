// Words of a PDF with their positions, as poppler extracts them, and how closely two documents place the same words.

import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** A word with its lower left corner, in points from the upper left corner of the page. */
export interface PlacedWord {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

/** Distance in points at which a word no longer counts as placed: half an inch. */
const MAX_DISTANCE = 36;
const LONGEST_MS = 60_000;
const MAX_OUTPUT_BYTES = 2 ** 28;

/** Returns the words of each page. Fails if poppler cannot open the file. */
export async function readWords(file: string): Promise<PlacedWord[][]> {
  const { stdout } = await promisify(execFile)("pdftotext", ["-bbox", file, "-"], {
    timeout: LONGEST_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return stdout
    .split("<page ")
    .slice(1)
    .map((page) =>
      [...page.matchAll(/<word xMin="([-\d.]+)" .*?yMax="([-\d.]+)">(.*?)<\/word>/g)].map(([, x, y, text]) => ({
        text: text!.normalize("NFKC"),
        x: Number(x),
        y: Number(y),
      })),
    );
}

/**
 * Returns the similarity of two documents, from 0 to 1 (same). Each word of the reference is paired with the nearest
 * equal word on the page of the same number; a pair counts 1 at the same position, falling linearly to 0 at a distance of
 * half an inch. The sum is divided by the larger number of words.
 */
export function similarity(reference: readonly PlacedWord[][], other: readonly PlacedWord[][]): number {
  const words = Math.max(count(reference), count(other));
  if (words === 0) return reference.length === other.length ? 1 : 0;
  return reference.reduce((sum, page, index) => sum + placedWords(page, other[index] ?? []), 0) / words;
}

const count = (pages: readonly PlacedWord[][]): number => pages.reduce((sum, { length }) => sum + length, 0);

function placedWords(page: readonly PlacedWord[], other: readonly PlacedWord[]): number {
  const unpaired = Map.groupBy(other, ({ text }) => text);
  let sum = 0;
  for (const { text, x, y } of page) {
    const candidates = unpaired.get(text) ?? [];
    const distances = candidates.map((word) => Math.hypot(word.x - x, word.y - y));
    const nearest = distances.indexOf(Math.min(...distances));
    if (nearest < 0) continue;
    candidates.splice(nearest, 1);
    sum += Math.max(0, 1 - distances[nearest]! / MAX_DISTANCE);
  }
  return sum;
}

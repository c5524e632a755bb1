// Compares the truth of a document with the words that two extractors find in its PDF, so that a document whose printed
// text differs from its source does not count: generated text, fields, fonts without Unicode.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { TruthBlock } from "./truth.ts";

/** Share of the truth's words that can be missing in the PDF, and share of the PDF's words that the truth can lack. */
const MAX_MISSING = 0.02;
const MAX_EXTRA = 0.04;
const LONGEST_MS = 60_000;
const MAX_OUTPUT_BYTES = 2 ** 26;

const run = promisify(execFile);

/** Returns true if the words of at least one extractor agree with the truth. Page numbers are extra words. */
export async function agrees(blocks: readonly TruthBlock[], pdf: string): Promise<boolean> {
  const truth = words(blocks.map(textOf).join("\n"));
  const options = { timeout: LONGEST_MS, maxBuffer: MAX_OUTPUT_BYTES };
  for (const command of [
    ["pdftotext", pdf, "-"],
    ["mutool", "draw", "-q", "-F", "txt", pdf],
  ]) {
    const { stdout } = await run(command[0]!, command.slice(1), options);
    const printed = words(stdout.replace(/[-\u00ad\u2010]\n\s*/g, ""));
    const common = shared(truth, printed);
    if (common >= (1 - MAX_MISSING) * truth.length && common >= (1 - MAX_EXTRA) * printed.length) return true;
  }
  return false;
}

const textOf = (block: TruthBlock): string =>
  block.kind === "table" ? block.rows.flatMap((cells) => cells.map(({ text }) => text)).join("\n") : block.text;

/** Returns words without hyphens; each ideograph and kana is a word. */
function words(text: string): string[] {
  const plain = text
    .normalize("NFKC")
    .replace(/[-\u00ad\u2010\u2011]/g, "")
    .toLowerCase();
  return plain.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

function shared(some: readonly string[], others: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of others) left.set(word, (left.get(word) ?? 0) + 1);
  let count = 0;
  for (const word of some) {
    const rest = left.get(word) ?? 0;
    if (rest > 0) count++;
    left.set(word, rest - 1);
  }
  return count;
}

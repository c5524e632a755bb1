// Locates the corpus: real documents that are not part of this repository. If it is missing, tests that need it are
// skipped.

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Folder of the corpus, which might not exist. */
export const corpusPlace: string = resolve(
  process.env.CORPUS_DIR ?? join(import.meta.dirname, "../../../shared/corpus"),
);

/** Folder of the corpus. Undefined if it does not exist, which vitest.config.ts reports once per run. */
export const corpusDir: string | undefined = existsSync(corpusPlace) ? corpusPlace : undefined;

/** @returns undefined if the corpus is missing */
export function corpusFile(path: string): Uint8Array | undefined {
  return corpusDir === undefined ? undefined : new Uint8Array(readFileSync(join(corpusDir, path)));
}

// Locates the real documents that are not part of this repository. Tests that need them are skipped if they are absent.

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Folder of the documents. */
export const corpusPlace: string = resolve(
  process.env.CORPUS_DIR ?? join(import.meta.dirname, "../../../shared/corpus"),
);

/** Absolute path, or undefined when they are not there; vitest.config.ts says so once a run. */
export const corpusDir: string | undefined = existsSync(corpusPlace) ? corpusPlace : undefined;

/** @returns undefined where the corpus is not */
export function corpusFile(path: string): Uint8Array | undefined {
  return corpusDir === undefined ? undefined : new Uint8Array(readFileSync(join(corpusDir, path)));
}

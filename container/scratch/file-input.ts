// Represents inputs that are files in a job's folder.

import { createReadStream, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Input } from "../../src/document/contract/operation.ts";

/** An input in the job's folder. */
export interface FileInput extends Input {
  /** Absolute path. */
  readonly path: string;
}

/** Maximum size of a file that is read and written synchronously: a round trip through the thread pool takes longer. */
export const SMALL_BYTES = 2 ** 20;

/** Returns a file as an input. */
export function fileInput(name: string, size: number, path: string): FileInput {
  const bytes = async () => (size <= SMALL_BYTES ? readFileSync(path) : readFile(path));
  return { name, size, path, bytes, stream: () => createReadStream(path) };
}

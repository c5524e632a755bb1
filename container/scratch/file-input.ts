// Inputs of operations that are files in a job's folder.

import { createReadStream, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { factsOf, type Input, type InputFacts } from "../../src/document/contract/operation.ts";

/** An input in the job's folder. */
export interface FileInput extends Input {
  /** Absolute path. */
  readonly path: string;
}

/**
 * Files up to this size are read and written synchronously, because a round trip through the thread pool takes longer.
 */
export const SMALL_BYTES = 2 ** 20;

/** Returns a file as an input. */
export const fileInput = (name: string, size: number, path: string): FileInput => asFile({ name, size }, path);

/** Returns a file with known properties as an input. */
export function asFile(facts: InputFacts, path: string): FileInput {
  const bytes = async () => {
    const { buffer, byteOffset, length } = facts.size <= SMALL_BYTES ? readFileSync(path) : await readFile(path);
    // Not the Buffer, whose `slice` does not copy.
    return new Uint8Array(buffer, byteOffset, length);
  };
  return { ...factsOf(facts), path, bytes, stream: () => createReadStream(path) };
}

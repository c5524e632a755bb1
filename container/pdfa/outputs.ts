// Reads the outputs of operations that run in threads: writes them to a file, or returns them as text.

import { closeSync, openSync, writeFile, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import type { Output } from "../../src/document/contract/operation.ts";
import { type FileInput, fileInput, SMALL_BYTES } from "../scratch/file-input.ts";

/**
 * Reads a response to its end, even if its reader stops early. Otherwise, the thread would be terminated before it
 * sends the last frame, which the reader does not need.
 */
export function drainOnReturn(frames: AsyncGenerator<Uint8Array>): AsyncIterable<Uint8Array> {
  const leave = async (): Promise<IteratorResult<Uint8Array>> => {
    try {
      while (!(await frames.next()).done);
    } catch {
      // The job was aborted. Its signal informs the reader.
    }
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next: () => frames.next(), return: leave }) };
}

/** Writes an output to a new file. */
export async function writeToFile(path: string, body: Output["body"], until: AbortSignal): Promise<FileInput> {
  const file = openSync(path, "wx", 0o600);
  let size = 0;
  try {
    for await (const chunk of body instanceof Uint8Array ? [body] : body) {
      until.throwIfAborted();
      size += chunk.length;
      if (size <= SMALL_BYTES) writeFileSync(file, chunk);
      else await writeLater(file, chunk);
    }
  } finally {
    closeSync(file);
  }
  return fileInput("document.pdf", size, path);
}

const writeLater = promisify(writeFile);

export async function readBytes(body: Output["body"]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body instanceof Uint8Array ? [body] : body) chunks.push(chunk.slice());
  return Buffer.concat(chunks);
}

export const readText = async (body: Output["body"]): Promise<string> => (await readBytes(body)).toString("utf8");

// Checks a file that an engine's process wrote, and moves it out of the process's folder.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { copyFile, rename } from "node:fs/promises";
import { EngineFailure } from "../../src/document/contract/failure.ts";

const PDF = "%PDF-";

/**
 * Checks an output file. It was written by a process that read an untrusted document. Rejects symbolic links, which
 * could lead to files that only this process can open.
 *
 * @param beginning the first characters of its format
 * @returns its size in bytes
 * @throws EngineFailure `crashed` if it is of another format
 */
export function checkPdf(path: string, beginning = PDF): number {
  const file = openPlainly(path);
  try {
    const about = fstatSync(file);
    if (!about.isFile() || about.nlink !== 1) throw new EngineFailure("crashed", "the output is not a plain file");
    const start = Buffer.alloc(beginning.length);
    readSync(file, start, 0, start.length, 0);
    if (start.toString("latin1") !== beginning) throw new EngineFailure("crashed", `the output is no ${beginning}`);
    return about.size;
  } finally {
    closeSync(file);
  }
}

/** Checks a PDF and moves it. @throws EngineFailure like {@link checkPdf} */
export const takePdf = (from: string, to: string): Promise<void> => takeOutput(from, to, PDF);

/** Checks an output and moves it. @throws EngineFailure like {@link checkPdf} */
export async function takeOutput(from: string, to: string, beginning: string): Promise<void> {
  checkPdf(from, beginning);
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await copyFile(from, to);
  }
}

function openPlainly(path: string): number {
  try {
    // Without O_NONBLOCK, opening a named pipe would block.
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    throw new EngineFailure("crashed", `no file was written: ${cause}`, { cause });
  }
}

// Limits the total size of a job's folder. The kernel's limits apply only to single files.

import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import { CONTAINER_LIMITS } from "../limits.ts";

export interface FolderLimit extends Disposable {
  /** Aborted with EngineFailure `too-large` once the folder exceeds its limit. */
  readonly signal: AbortSignal;
}

const INTERVAL_MS = 200;

/** Checks a folder's size repeatedly until disposed of. */
export function limitFolder(path: string, maxBytes: number): FolderLimit {
  const full = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let disposed = false;
  const look = async () => {
    const size = await sizeOf(path);
    if (size > maxBytes)
      full.abort(new EngineFailure("too-large", `the job's folder holds more than ${maxBytes} bytes`));
    else if (!disposed) timer = setTimeout(look, INTERVAL_MS);
  };
  timer = setTimeout(look, INTERVAL_MS);
  return {
    signal: full.signal,
    [Symbol.dispose]: () => {
      disposed = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Returns the total size of all files in bytes. Returns infinity if there are too many files. Files that are deleted
 * meanwhile count as empty.
 */
async function sizeOf(folder: string): Promise<number> {
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  if (entries.length > CONTAINER_LIMITS.jobFiles) return Number.POSITIVE_INFINITY;
  const sizes = entries.map(async (entry) => {
    const about = await lstat(join(entry.parentPath, entry.name)).catch(() => undefined);
    return about?.isFile() ? about.size : 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

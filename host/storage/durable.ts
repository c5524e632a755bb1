// Makes changes of folders durable, and tells files that are missing from failures.

import { open } from "node:fs/promises";

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}

/** Handles the failure of an operation on a file that may be missing. */
export function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

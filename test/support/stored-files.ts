// Counts the objects that a service stores, in any kind of storage.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { countFiles, openLocalStorage } from "../../scripts/services/local-storage.ts";
import type { ServiceAddress } from "./service.ts";

export interface StoredFiles extends AsyncDisposable {
  count(): Promise<number>;
}

export async function openStoredFiles({
  target,
  persistTo,
}: Pick<ServiceAddress, "target" | "persistTo">): Promise<StoredFiles> {
  if (target === "host") {
    return { count: () => countIn(join(persistTo, "objects")), [Symbol.asyncDispose]: async () => {} };
  }
  const storage = await openLocalStorage(persistTo);
  return { count: () => countFiles(storage), [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose]() };
}

async function countIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

/** Returns the number of stored objects for these files: one for each pack, and one for each standalone file. */
export const objectsOf = (ids: readonly string[]) =>
  new Set(ids.map((id) => (Number.parseInt(id.at(-1)!, 16) % 2 === 1 ? id.slice(0, 19) : id))).size;

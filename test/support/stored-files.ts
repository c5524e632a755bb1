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

// The API key that `npm start` prints in the keyed variant.

import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hashKey } from "../src/core/api-key.ts";
import { putKeys } from "./key-records.ts";

/**
 * Makes a key known to the local namespace.
 * @param folder - what the local service persists to
 * @param given - a key of the caller's choice; without it, one that was made on the first start is used again
 */
export async function developmentKey(folder: string, given: string | undefined): Promise<string> {
  if (given) {
    await record(folder, given);
    return given;
  }
  const file = keptIn(folder);
  const kept = await readFile(file, "utf8").catch(() => "");
  if (kept !== "") return kept;
  const made = randomUUID();
  await record(folder, made);
  await mkdir(folder, { recursive: true });
  await writeFile(file, made, { mode: 0o600 });
  return made;
}

/** After the kept key was revoked: the next start makes another one. */
export async function forgetDevelopmentKey(folder: string, revokedHash: string): Promise<void> {
  const file = keptIn(folder);
  const kept = await readFile(file, "utf8").catch(() => "");
  if (hashKey(kept) === revokedHash) await rm(file);
}

function keptIn(folder: string): string {
  return join(folder, "development-key");
}

function record(folder: string, key: string): Promise<void> {
  const entry = { hash: hashKey(key), owner: "development", created: new Date().toISOString(), revoked: null };
  return putKeys({ persistTo: folder }, [entry]);
}

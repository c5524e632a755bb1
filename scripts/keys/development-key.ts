// Provides the API key that `npm start` prints in the keyed variant.

import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hashKey } from "../../src/service/ports/api-key.ts";
import { listKeys, putKeys } from "./key-records.ts";

/**
 * Adds a key to the local namespace, unless its record exists. So settings and a revocation persist across restarts.
 * @param folder - folder in which the local service stores its data
 * @param given - the key to add. @default the key created at the first start
 */
export async function ensureDevelopmentKey(folder: string, given: string | undefined): Promise<string> {
  if (given) {
    const known = (await listKeys({ persistTo: folder })).find(({ hash }) => hash === hashKey(given));
    if (!known) await record(folder, given);
    else if (known.revoked !== null) console.error(`The key in API_KEY was revoked at ${known.revoked}.`);
    return given;
  }
  const file = keptIn(folder);
  const storedKey = await readFile(file, "utf8").catch(() => "");
  if (storedKey !== "") return storedKey;
  const made = randomUUID();
  await record(folder, made);
  await mkdir(folder, { recursive: true });
  await writeFile(file, made, { mode: 0o600 });
  return made;
}

/** Deletes the stored key after its revocation. The next start creates another key. */
export async function forgetDevelopmentKey(folder: string, revokedHash: string): Promise<void> {
  const file = keptIn(folder);
  const storedKey = await readFile(file, "utf8").catch(() => "");
  if (hashKey(storedKey) === revokedHash) await rm(file);
}

function keptIn(folder: string): string {
  return join(folder, "development-key");
}

function record(folder: string, key: string): Promise<void> {
  const entry = { hash: hashKey(key), owner: "development", created: new Date().toISOString(), revoked: null };
  return putKeys({ persistTo: folder }, [entry]);
}

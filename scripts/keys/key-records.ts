// Reads and writes the records of API keys, in the Worker's KV namespace or in a database of the host on Node. A
// record maps a key's hash to its owner and settings. The key itself is never stored.

import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DatabaseRecords, openDatabase } from "../../host/storage/postgres/open.ts";
import { KEY_FILE, KeyDatabase, type KeyEntry } from "../../host/storage/sqlite/key-database.ts";
import type { KeyRecord } from "../../src/service/ports/api-key.ts";
import { SERVICE_SIGNER } from "../../src/service/ports/webhooks.ts";
import { runWrangler } from "../services/wrangler.ts";

/**
 * Identifies a store of keys: a local wrangler dev by its persistence folder, a host on Node by its data folder or by
 * the URL of its PostgreSQL database, or the deployed Worker.
 */
export type Namespace =
  | { readonly persistTo: string }
  | { readonly data: string }
  | { readonly database: string }
  | "remote";

/** Uses the records in PostgreSQL. */
export async function withDatabase<T>(url: string, use: (records: DatabaseRecords) => Promise<T>): Promise<T> {
  await using records = await openDatabase({ url, connections: 1 });
  return await use(records);
}

/** Writes records. Replaces records with the same hash. A service on this machine reads them immediately. */
export async function putKeys(namespace: Namespace, entries: readonly KeyEntry[]): Promise<void> {
  if (typeof namespace === "object" && "data" in namespace) {
    using database = await KeyDatabase.open(namespace.data);
    return await database.put(entries);
  }
  if (typeof namespace === "object" && "database" in namespace) {
    return withDatabase(namespace.database, ({ keys }) => keys.put(entries));
  }
  const records = entries.map(({ hash, ...metadata }) => ({ key: hash, value: JSON.stringify(metadata), metadata }));
  if (namespace === "remote") return putRemote(records);
  await using storage = await openNamespace(namespace.persistTo);
  for (const { key, value, metadata } of records) await storage.keys.put(key, value, { metadata });
}

/** Returns the records of all keys, oldest first. */
export async function listKeys(namespace: Namespace): Promise<KeyEntry[]> {
  const keys = (await listRecords(namespace)).filter(({ hash }) => hash !== SERVICE_SIGNER);
  return keys.sort((a, b) => (a.created < b.created ? -1 : 1));
}

/** Returns all records, including those that are not keys, such as the service's signing secrets. */
export async function listRecords(namespace: Namespace): Promise<KeyEntry[]> {
  if (namespace === "remote") return listRemote();
  if ("persistTo" in namespace) return listLocal(namespace.persistTo);
  if ("database" in namespace) return withDatabase(namespace.database, ({ keys }) => keys.list());
  // Without this check, `open` would create a database in a folder that belongs to no host.
  if (!existsSync(join(namespace.data, KEY_FILE))) return [];
  using database = await KeyDatabase.open(namespace.data);
  return await database.list();
}

/** Opens the local storage. Imports Miniflare on demand, because the container image does not include it. */
async function openNamespace(persistTo: string) {
  const { openLocalStorage } = await import("../services/local-storage.ts");
  return openLocalStorage(persistTo);
}

async function listLocal(persistTo: string): Promise<KeyEntry[]> {
  await using storage = await openNamespace(persistTo);
  const entries: KeyEntry[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await storage.keys.list(cursor === undefined ? {} : { cursor });
    for (const { name, metadata } of page.keys) {
      const record = metadata ?? (await storage.keys.get(name, "json"));
      if (record !== null) entries.push({ hash: name, ...(record as KeyRecord) });
    }
    if (page.list_complete) return entries;
    cursor = page.cursor;
  }
}

async function putRemote(records: readonly object[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "keys-"));
  try {
    const file = join(folder, "entries.json");
    await writeFile(file, JSON.stringify(records));
    await remoteKv(["bulk", "put", file]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function listRemote(): Promise<KeyEntry[]> {
  const listed = JSON.parse(await remoteKv(["key", "list"])) as { name: string; metadata?: KeyRecord }[];
  const entries: KeyEntry[] = [];
  for (const { name, metadata } of listed) {
    const record = metadata ?? (JSON.parse(await remoteKv(["key", "get", "--text", name])) as KeyRecord);
    entries.push({ hash: name, ...record });
  }
  return entries;
}

const remoteKv = (command: readonly string[]) => runWrangler(["kv", ...command, "--binding", "API_KEYS", "--remote"]);

// Reads and writes API keys as the KV namespace stores them: the hash of a key -> its owner. The key itself is never
// stored there.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KeyRecord } from "../src/core/api-key.ts";
import { openLocalStorage } from "./local-storage.ts";
import { runWrangler } from "./wrangler.ts";

/** A KV entry with its key. The record is stored as metadata too, so that a list needs no further reads. */
export interface KeyEntry extends KeyRecord {
  readonly hash: string;
}

/** Selects the namespace: that of a service on this machine, by the folder it persists to, or the deployed one. */
export type Namespace = { readonly persistTo: string } | "remote";

/** Writes records, replacing those with the same hash. A running local service sees them at once. */
export async function putKeys(namespace: Namespace, entries: readonly KeyEntry[]): Promise<void> {
  const records = entries.map(({ hash, ...metadata }) => ({ key: hash, value: JSON.stringify(metadata), metadata }));
  if (namespace === "remote") return putRemote(records);
  await using storage = await openLocalStorage(namespace.persistTo);
  for (const { key, value, metadata } of records) await storage.keys.put(key, value, { metadata });
}

/** Returns all records, oldest first. */
export async function listKeys(namespace: Namespace): Promise<KeyEntry[]> {
  const entries = namespace === "remote" ? await listRemote() : await listLocal(namespace.persistTo);
  return entries.sort((a, b) => (a.created < b.created ? -1 : 1));
}

async function listLocal(persistTo: string): Promise<KeyEntry[]> {
  await using storage = await openLocalStorage(persistTo);
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

// API keys as the KV namespace holds them: the hash of a key -> whose it is. The key itself is never written there.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KeyRecord } from "../src/api-key.ts";
import { runWrangler } from "./wrangler.ts";

/** A KV entry by its key. The record is its metadata too, so that a list needs no further reads. */
export interface KeyEntry extends KeyRecord {
  readonly hash: string;
}

/** Which namespace: that of a service on this machine, by the folder it persists to, or the deployed one. */
export type Namespace = { readonly persistTo: string } | "remote";

/** Writes records, replacing those of the same hash. A running local service sees them at once. */
export async function putKeys(namespace: Namespace, entries: readonly KeyEntry[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "keys-"));
  try {
    const file = join(folder, "entries.json");
    const bulk = entries.map(({ hash, owner, created, revoked }) => {
      const record: KeyRecord = { owner, created, revoked };
      return { key: hash, value: JSON.stringify(record), metadata: record };
    });
    await writeFile(file, JSON.stringify(bulk));
    await kv(namespace, ["bulk", "put", file]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** All records, oldest first. */
export async function listKeys(namespace: Namespace): Promise<KeyEntry[]> {
  const listed = JSON.parse(await kv(namespace, ["key", "list"])) as { name: string; metadata?: KeyRecord }[];
  const entries: KeyEntry[] = [];
  for (const { name, metadata } of listed) {
    const record = metadata ?? (JSON.parse(await kv(namespace, ["key", "get", "--text", name])) as KeyRecord);
    entries.push({ hash: name, ...record });
  }
  return entries.sort((a, b) => (a.created < b.created ? -1 : 1));
}

function kv(namespace: Namespace, command: readonly string[]): Promise<string> {
  const place = namespace === "remote" ? ["--remote"] : ["--local", "--persist-to", namespace.persistTo];
  return runWrangler(["kv", ...command, "--binding", "API_KEYS", ...place]);
}

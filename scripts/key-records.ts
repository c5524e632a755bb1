// API keys as the KV namespace holds them: the hash of a key -> whose it is. The key itself is never written there.

import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runWrangler } from "./wrangler.ts";

/** The value of one KV entry, and its metadata too, so that a list needs no further reads. */
export interface KeyRecord {
  readonly owner: string;
  /** ISO 8601 */
  readonly created: string;
  /** ISO 8601 */
  readonly revoked: string | null;
}

/** A KV entry: its key is the lower case hexadecimal SHA-256 of the API key's UTF-8. */
export interface KeyEntry extends KeyRecord {
  readonly hash: string;
}

/** Which namespace: that of a service on this machine, by the folder it persists to, or the deployed one. */
export type Namespace = { readonly persistTo: string } | "remote";

export function hashKey(apiKey: string): string {
  return createHash("sha256").update(apiKey, "utf8").digest("hex");
}

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

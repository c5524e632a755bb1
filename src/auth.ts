// API keys of the keyed variant. Only SHA-256 hashes of keys are stored; knows nothing of routes.
import { invalidKey } from "./errors.ts";

/** The value of an entry of API_KEYS, as JSON; its KV key is the lowercase hex SHA-256 of the API key. */
export interface KeyRecord {
  readonly owner: string;
  /** ISO 8601. */
  readonly created: string;
  /** ISO 8601, or null while the key is valid. */
  readonly revoked: string | null;
}

/** Longer header values are no key of ours: they are refused without being hashed. */
const MAX_KEY_LENGTH = 256;

/**
 * Looked up by hash: how long the look-up takes says nothing about any stored key, so nothing is compared byte by byte.
 * @throws ServiceError 401 when the key is missing, unknown or revoked
 */
export async function requireKey(apiKey: string | undefined, keys: KVNamespace): Promise<void> {
  if (!apiKey || apiKey.length > MAX_KEY_LENGTH) throw invalidKey();
  const record = await keys.get<KeyRecord>(await hashKey(apiKey), "json");
  if (!record || record.revoked !== null) throw invalidKey();
}

/** @returns 64 lowercase hexadecimal digits */
async function hashKey(apiKey: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(apiKey));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

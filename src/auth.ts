// API keys of the keyed variant. Only SHA-256 hashes of keys are stored; knows nothing of routes.
import { hashKey, type KeyRecord } from "./api-key.ts";
import type { Variant } from "./config.ts";
import { invalidKey } from "./errors.ts";

/** Longer header values are no key of ours: they are refused without being hashed. */
const MAX_KEY_LENGTH = 256;
/** Hexadecimal digits that tell clients apart. */
const CLIENT_DIGITS = 32;

/**
 * Looked up by hash: how long the look-up takes says nothing about any stored key, so nothing is compared byte by byte.
 * @throws ServiceError 401 when the key is missing, unknown or revoked
 */
export async function requireKey(apiKey: string | undefined, keys: KVNamespace): Promise<void> {
  if (!apiKey || apiKey.length > MAX_KEY_LENGTH) throw invalidKey();
  const record = await keys.get<KeyRecord>(hashKey(apiKey), "json");
  if (!record || record.revoked !== null) throw invalidKey();
}

/** @returns what is the same for all requests of one client, and tells neither its key nor its address */
export function clientOf(headers: Headers, variant: Variant): string {
  // A key that nobody checked could be another one with each request.
  const key = variant === "keyed" ? headers.get("Api-Key") : undefined;
  return hashKey(key ?? headers.get("CF-Connecting-IP") ?? "").slice(0, CLIENT_DIGITS);
}

// Checks the API keys of the keyed variant. The service stores only SHA-256 hashes of keys. Knows nothing about routes.
import { hashKey, type KeyRecords } from "../core/api-key.ts";
import type { Variant } from "../core/config.ts";
import { LIMITS } from "../core/limits.ts";
import { invalidKey } from "./errors.ts";

/** Number of hexadecimal digits that identify a client. */
const CLIENT_DIGITS = 32;

/**
 * Checks an API key. The key is looked up by its hash: the time of the lookup reveals nothing about stored keys, so no
 * byte-by-byte comparison takes place.
 * @throws ServiceError 401 when the key is missing, unknown or revoked
 */
export async function requireKey(apiKey: string | undefined, keys: KeyRecords): Promise<void> {
  // Longer header values are rejected without hashing.
  if (!apiKey || apiKey.length > LIMITS.keyLength) throw invalidKey();
  const record = await keys.get(hashKey(apiKey), "json");
  if (!record || record.revoked !== null) throw invalidKey();
}

/**
 * @param address address of the client. @default the one in Cloudflare's header
 * @returns an identifier that is the same for all requests of one client and reveals neither its key nor its address
 */
export function clientOf(headers: Headers, variant: Variant, address?: string): string {
  // Nobody checks the key in other variants: a client could send a different one with each request.
  const key = variant === "keyed" ? headers.get("Api-Key") : undefined;
  return hashKey(key ?? address ?? headers.get("CF-Connecting-IP") ?? "").slice(0, CLIENT_DIGITS);
}

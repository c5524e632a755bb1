// What an API key becomes where it is kept: the format of API_KEYS, for the Worker that reads it and the script that writes it.
import { createHash } from "node:crypto";

/** The value of an entry of API_KEYS, as JSON. The entry's key is {@link hashKey} of the API key. */
export interface KeyRecord {
  readonly owner: string;
  /** ISO 8601. */
  readonly created: string;
  /** ISO 8601, or null while the key is valid. */
  readonly revoked: string | null;
}

/** @returns the SHA-256 of the key's UTF-8: 64 lowercase hexadecimal digits */
export function hashKey(apiKey: string): string {
  return createHash("sha256").update(apiKey, "utf8").digest("hex");
}

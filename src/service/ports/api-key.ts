// Storage contract of API keys. Only hashes of the keys are stored. The service reads the records; the operator's
// script (scripts/keys.ts) writes them. All implementations pass test/support/key-conformance.ts.
import { createHash } from "node:crypto";
import type { Limits } from "./limiter.ts";

/** The value of an entry of API_KEYS, as JSON. The key of the entry is the {@link hashKey} of the API key. */
export interface KeyRecord {
  readonly owner: string;
  /** Time of creation, in ISO 8601. */
  readonly created: string;
  /** Time of revocation, in ISO 8601, or null while the key is valid. */
  readonly revoked: string | null;
  /** Time at which the key expires, in ISO 8601. @default never */
  readonly expires?: string;
  /** Endpoints that the key can use, without slashes. @default all */
  readonly scopes?: readonly string[];
  readonly limits?: Limits;
  /**
   * Regions to which the key is bound: its documents, and everything made from them, stay in these regions. @default
   * the key is not bound
   */
  readonly regions?: readonly string[];
  /** Lifetime of the files stored with this key. Ignored if longer than the lifetime in the service's settings. */
  readonly fileLifetimeHours?: number;
  /** Secrets that sign messages to the owner of the key, newest first. @default none */
  readonly webhookSecrets?: readonly SigningSecret[];
}

/** A secret of Standard Webhooks. */
export interface SigningSecret {
  /** `whsec_` and base64. */
  readonly secret: string;
  /** Time at which the secret expires, in ISO 8601. @default never */
  readonly until?: string;
}

/** The subset of a KV namespace that the service uses. */
export interface KeyRecords {
  /** @param hash the {@link hashKey} of an API key @returns null if there is no such record */
  get(hash: string, type: "json"): Promise<KeyRecord | null>;
}

/** @returns the SHA-256 of the key's UTF-8 bytes, in 64 lowercase hexadecimal digits */
export function hashKey(apiKey: string): string {
  return createHash("sha256").update(apiKey, "utf8").digest("hex");
}

/**
 * Reports whether a text can be a key: 1 to 256 visible ASCII characters, which every header transmits unchanged (RFC
 * 9110, 5.5).
 */
export const isKey = (text: string): boolean => /^[\x21-\x7e]{1,256}$/.test(text);

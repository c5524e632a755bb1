// Checks the API keys of the keyed variant. The service stores only SHA-256 hashes of keys. Knows nothing about routes.

import { LIMITS } from "../../../document/contract/limits.ts";
import { hashKey, type KeyRecord, type KeyRecords } from "../../ports/api-key.ts";
import type { DeletePolicy } from "../../storage/file-policy.ts";
import { invalidKey, keyRequired } from "../contract/errors.ts";

/** Number of hexadecimal digits that identify a client, or a token. */
const CLIENT_DIGITS = 32;

export interface ValidKey {
  /** {@link hashKey} of the key. */
  readonly hash: string;
  readonly record: KeyRecord;
}

/**
 * Checks an API key. The key is looked up by its hash: the time of the lookup reveals nothing about stored keys, so no
 * byte-by-byte comparison takes place.
 * @throws ServiceError 401 when the key is missing, unknown, expired or revoked
 */
export async function requireKey(apiKey: string | null | undefined, keys: KeyRecords): Promise<ValidKey> {
  if (!apiKey) throw keyRequired();
  // Longer header values are rejected without hashing.
  if (apiKey.length > LIMITS.keyLength) throw invalidKey();
  const hash = hashKey(apiKey);
  const record = await keys.get(hash, "json");
  if (!record || record.revoked !== null) throw invalidKey();
  if (record.expires !== undefined && Date.parse(record.expires) <= Date.now()) throw invalidKey();
  return { hash, record };
}

/** Returns the identifier of the client with a key. It does not reveal the key. */
export const clientIdOfKey = ({ hash }: ValidKey): string => hash.slice(0, CLIENT_DIGITS);

/**
 * Returns the identifier of a client of which only the address is known. It does not reveal the address.
 * @param address @default the one in Cloudflare's header
 */
export function clientAt(headers: Headers, address?: string): string {
  return hashKey(networkOf(address ?? headers.get("CF-Connecting-IP") ?? "")).slice(0, CLIENT_DIGITS);
}

/** Returns what one client has of the addresses: an IPv4 address, or an IPv6 network of 64 bits. */
function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [before = "", after] = address.split("%")[0]!.split("::");
  const groups = before === "" ? [] : before.split(":");
  const rest = after === undefined || after === "" ? [] : after.split(":");
  const zeros = after === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  const all = [...groups, ...Array<string>(zeros).fill("0"), ...rest];
  const isMapped = all.at(-1)!.includes(".");
  return isMapped
    ? all.at(-1)!
    : all
        .slice(0, 4)
        .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ""))
        .join(":");
}

/** Returns what is stored of a token. */
export const hashToken = (token: string): string => hashKey(token).slice(0, CLIENT_DIGITS);

/** Name of the header field with the token that removes the files of a request. */
export const DELETE_TOKEN_HEADER = "Delete-Token";

/**
 * Returns what decides about removals in the keyed variant.
 * @param owner the client with the key that was sent, if one was
 */
export function createDeletePolicy(owner: string | undefined, headers: Headers): DeletePolicy {
  const token = headers.get(DELETE_TOKEN_HEADER);
  const mark = token !== null && token.length <= LIMITS.keyLength ? hashToken(token) : undefined;
  return (marks) => {
    if (mark !== undefined && mark === marks.token) return true;
    // Files that are older than their marks have no owner.
    return owner !== undefined && (marks.owner ?? owner) === owner;
  };
}

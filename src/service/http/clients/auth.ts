// Checks the API keys of the keyed variant. The service stores only SHA-256 hashes of keys.

import { LIMITS } from "../../../document/contract/limits.ts";
import { hashKey, type KeyRecord, type KeyRecords } from "../../ports/api-key.ts";
import type { DeletePolicy } from "../../storage/file-policy.ts";
import { invalidKey, keyRequired } from "../contract/errors.ts";

/** Number of hexadecimal digits in a client ID or token hash. */
const CLIENT_DIGITS = 32;

export interface ValidKey {
  /** {@link hashKey} of the key. */
  readonly hash: string;
  readonly record: KeyRecord;
}

/**
 * Checks an API key. The key is looked up by its hash, so the duration of the lookup reveals nothing about stored keys,
 * and a constant-time comparison is unnecessary.
 * @throws ServiceError 401 if the key is missing, unknown, expired or revoked
 */
export async function requireKey(apiKey: string | null | undefined, keys: KeyRecords): Promise<ValidKey> {
  if (!apiKey) throw keyRequired();
  // Rejects oversized header values without hashing them.
  if (apiKey.length > LIMITS.keyLength) throw invalidKey();
  const hash = hashKey(apiKey);
  const record = await keys.get(hash, "json");
  if (!record || record.revoked !== null) throw invalidKey();
  if (record.expires !== undefined && Date.parse(record.expires) <= Date.now()) throw invalidKey();
  return { hash, record };
}

const BASIC = /^Basic ([A-Za-z0-9+/]+={0,2})$/i;

/** Returns the password of HTTP basic authentication (RFC 7617), which clients of Gotenberg send as the key. */
export function passwordIn(headers: Headers): string | undefined {
  const [, encoded] = BASIC.exec(headers.get("Authorization") ?? "") ?? [];
  return (
    encoded &&
    Buffer.from(encoded, "base64")
      .toString("utf8")
      .replace(/^[^:]*:/, "")
  );
}

/** Returns the client ID of a key. The ID does not reveal the key. */
export const clientIdOfKey = ({ hash }: ValidKey): string => hash.slice(0, CLIENT_DIGITS);

/**
 * Returns the client ID of a client without a key, from its IP address. The ID does not reveal the address.
 * @param address IP address of the client. @default the address in the header CF-Connecting-IP
 */
export function clientAt(headers: Headers, address?: string): string {
  return hashKey(networkOf(address ?? headers.get("CF-Connecting-IP") ?? "")).slice(0, CLIENT_DIGITS);
}

/** Addresses that Cloudflare gives many clients: that of all Workers of other zones, and pseudo IPv4 (240.0.0.0/4). */
const COMMON_ADDRESS = /^(?:2a06:98c0:3600::103$|2[45]\d\.)/;

/**
 * Returns an ID like {@link clientAt}, but of a single address: customers of a provider can share an IPv6 network.
 * @returns undefined if there is no address, or many clients have it
 */
export function exactClientAt(headers: Headers, address = headers.get("CF-Connecting-IP")): string | undefined {
  return address && !COMMON_ADDRESS.test(address) ? hashToken(address) : undefined;
}

/** Returns the address block that counts as one client: a single IPv4 address, or an IPv6 /64 network. */
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

/** Returns the stored hash of a token. */
export const hashToken = (token: string): string => hashKey(token).slice(0, CLIENT_DIGITS);

/** Name of the header with the token that deletes the files of a request. */
export const DELETE_TOKEN_HEADER = "Delete-Token";

/**
 * Returns the policy that decides which files a request can delete in the keyed variant.
 * @param owner client ID of the request's key, if it has one
 */
export function createDeletePolicy(owner: string | undefined, headers: Headers): DeletePolicy {
  const token = headers.get(DELETE_TOKEN_HEADER);
  const mark = token !== null && token.length <= LIMITS.keyLength ? hashToken(token) : undefined;
  return (marks) => {
    if (mark !== undefined && mark === marks.token) return true;
    // Files from a release without file policies have no owner: every key can delete them.
    return owner !== undefined && (marks.owner ?? owner) === owner;
  };
}

// Metadata of a stored file: its owner, delete token and expiry. If a file expires earlier than by the default
// lifetime, an additional empty object is stored, the expiry marker, so that a sweep need not read every file. Layout:
//   expiring/<time>-<name>   time in 13 digits; the ID of a standalone file, or the prefix of the IDs of a pack

import type { Bucket } from "../ports/bucket.ts";

export interface FilePolicy {
  /** ID of the client that created the file. @default the file has no owner */
  readonly owner?: string;
  /** Name under which the client is counted whose storage limit includes the file. @default no limit includes it */
  readonly counts?: string;
  /** Hash of the delete token. @default none */
  readonly token?: string;
  /** Expiry in milliseconds since 1970. @default the default lifetime applies */
  readonly expires?: number;
}

/** Reports whether a request can delete a file. */
export type DeletePolicy = (policy: FilePolicy) => boolean;

const EXPIRING = "expiring/";
const TIME_DIGITS = 13;

/** Returns the policy as object metadata. */
export const policyToMetadata = ({ owner, counts, token, expires }: FilePolicy): Record<string, string> => ({
  ...(owner === undefined ? {} : { owner }),
  ...(counts === undefined ? {} : { counts }),
  ...(token === undefined ? {} : { token }),
  ...(expires === undefined ? {} : { expires: String(expires) }),
});

/** Reads the policy from object metadata. */
export const policyFromMetadata = ({
  owner,
  counts,
  token,
  expires,
}: Readonly<Record<string, string>> = {}): FilePolicy => ({
  ...(owner === undefined ? {} : { owner }),
  ...(counts === undefined ? {} : { counts }),
  ...(token === undefined ? {} : { token }),
  ...(expires === undefined ? {} : { expires: Number(expires) }),
});

/**
 * Writes the expiry marker of an object. Call it before storing the object, so that a process that is killed in between
 * leaves a marker without an object, never an object without a marker.
 * @param name ID of a standalone file, or the ID prefix that identifies a pack
 */
export async function writeExpiryMarker(bucket: Bucket, { expires }: FilePolicy, name: string): Promise<void> {
  if (expires === undefined) return;
  await bucket.put(`${EXPIRING}${String(expires).padStart(TIME_DIGITS, "0")}-${name}`, new Uint8Array(0));
}

/** An expired standalone file or pack. */
export interface ExpiredObject {
  /** Key of the expiry marker. */
  readonly key: string;
  readonly name: string;
}

/**
 * Yields expired objects, at most 1000 at a time. The caller must delete the markers of these objects before it requests
 * more.
 */
export async function* listExpired(bucket: Bucket, now: number): AsyncGenerator<readonly ExpiredObject[]> {
  for (;;) {
    // The bucket lists keys in order of expiry, and the caller has deleted the earlier markers.
    const page = await bucket.list({ prefix: EXPIRING });
    const ended = page.objects.map(({ key }) => key).filter((key) => timeIn(key) <= now);
    if (ended.length > 0) yield ended.map((key) => ({ key, name: key.slice(EXPIRING.length + TIME_DIGITS + 1) }));
    if (ended.length < page.objects.length || !page.truncated) return;
  }
}

const timeIn = (key: string) => Number(key.slice(EXPIRING.length, EXPIRING.length + TIME_DIGITS));

// What is stored with a file besides its content: who may remove it, and when it ends. A file that ends before the
// lifetime of all files also has an empty object, which names the time, so that a sweep need not read every file:
//   expiring/<time>-<id>   time in 13 digits; the whole id of a lone file, or the part of it that names a pack

import type { Bucket } from "../ports/bucket.ts";

export interface FilePolicy {
  /** Name of the client that made the file. @default nobody in particular */
  readonly owner?: string;
  /** Name of the client against whose limit of stored bytes the file counts. @default nobody's */
  readonly counts?: string;
  /** Hash of the token that removes the file. @default none */
  readonly token?: string;
  /** Time at which the file ends, in milliseconds. @default the lifetime of all files */
  readonly expires?: number;
}

/** Reports whether a request may delete a file. */
export type DeletePolicy = (policy: FilePolicy) => boolean;

const EXPIRING = "expiring/";
const TIME_DIGITS = 13;

/** Returns the marks as metadata of an object. */
export const policyToMetadata = ({ owner, counts, token, expires }: FilePolicy): Record<string, string> => ({
  ...(owner === undefined ? {} : { owner }),
  ...(counts === undefined ? {} : { counts }),
  ...(token === undefined ? {} : { token }),
  ...(expires === undefined ? {} : { expires: String(expires) }),
});

/** Reads the marks from the metadata of an object. */
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
 * Notes when an object ends, before it is stored: if the process is killed in between, the note is all that remains.
 * @param name id of a lone file, or the part of an id that names a pack
 */
export async function writeExpiryMarker(bucket: Bucket, { expires }: FilePolicy, name: string): Promise<void> {
  if (expires === undefined) return;
  await bucket.put(`${EXPIRING}${String(expires).padStart(TIME_DIGITS, "0")}-${name}`, new Uint8Array(0));
}

/** An object that has ended. */
export interface ExpiredObject {
  /** Key of the note. */
  readonly key: string;
  readonly name: string;
}

/** Yields what has ended by now, at most 1000 at a time. The caller removes the notes. */
export async function* listExpired(bucket: Bucket, now: number): AsyncGenerator<readonly ExpiredObject[]> {
  for (;;) {
    // Keys are listed in the order of time. What was yielded before is removed.
    const page = await bucket.list({ prefix: EXPIRING });
    const ended = page.objects.map(({ key }) => key).filter((key) => timeIn(key) <= now);
    if (ended.length > 0) yield ended.map((key) => ({ key, name: key.slice(EXPIRING.length + TIME_DIGITS + 1) }));
    if (ended.length < page.objects.length || !page.truncated) return;
  }
}

const timeIn = (key: string) => Number(key.slice(EXPIRING.length, EXPIRING.length + TIME_DIGITS));

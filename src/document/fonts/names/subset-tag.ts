// Creates the tag of a subset font name (ISO 32000-1, 9.6.4).
import { createHash } from "node:crypto";

export const TAGGED = /^[A-Z]{6}\+/;

/** Returns six letters, derived from a hash of the bytes. */
export function subsetTag(bytes: Uint8Array): string {
  const digest = createHash("sha256").update(bytes).digest();
  return String.fromCharCode(...Array.from(digest.subarray(0, 6), (byte) => 65 + (byte % 26)));
}

// Writes lines of the log. What opens a file, an answer or an upload to anyone who knows it is not in them.

import { createHash } from "node:crypto";

/** Ids of files and of asynchronous jobs, and tokens of upload addresses. */
const CAPABILITY = /[12]?[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|[0-9a-f]{64}/gi;
const HASH_DIGITS = 12;

/** Returns what the log has instead of an id: the same for the same id. */
export const hashOfId = (id: string): string =>
  createHash("sha256").update(id.toLowerCase()).digest("hex").slice(0, HASH_DIGITS);

/** Writes a line with the name of an event and its details. */
export type Log = (message: string, details?: Record<string, unknown>) => void;

/**
 * @param ids of the request, which open nothing
 * @returns a line as JSON. Ids in the details are hashes in braces
 */
export function logLine(ids: Readonly<Record<string, string>>, message: string, details: object = {}): string {
  const safe = JSON.stringify(details).replace(CAPABILITY, (id) => `{${hashOfId(id)}}`);
  return JSON.stringify({ ...ids, message, ...(JSON.parse(safe) as object) });
}

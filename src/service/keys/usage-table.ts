// The usage table, identical in D1 and in the host's database. A row contains the sums of one key, day and operation,
// so the size of the table does not depend on the number of requests.

import { LIMITS } from "../../document/contract/limits.ts";
import { type Counts, dayOf, type KeyUsage, type UsageRecords } from "../ports/usage.ts";

const DAY_MS = 86_400_000;

export const CREATE_USAGE = `CREATE TABLE IF NOT EXISTS usage (key TEXT, day TEXT, operation TEXT,
  requests INTEGER NOT NULL, errors INTEGER NOT NULL, bytes_in INTEGER NOT NULL, bytes_out INTEGER NOT NULL,
  PRIMARY KEY (key, day, operation)) WITHOUT ROWID`;

/** Tokens have a table of their own, because earlier releases write rows of the other without naming its columns. */
export const CREATE_TOKENS = `CREATE TABLE IF NOT EXISTS usage_tokens (key TEXT, day TEXT, operation TEXT,
  tokens INTEGER NOT NULL, PRIMARY KEY (key, day, operation)) WITHOUT ROWID`;

/**
 * Returns SQL that adds to a column. Limits the sum to MAX_SAFE_INTEGER: a driver throws if it reads a larger integer,
 * so that no usage could be read.
 */
const added = (column: string) => `${column} = MIN(${column} + excluded.${column}, ${Number.MAX_SAFE_INTEGER})`;

export const ADD_USAGE = `INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
  ${["requests", "errors", "bytes_in", "bytes_out"].map(added).join(", ")}`;

export const ADD_TOKENS = `INSERT INTO usage_tokens VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET ${added("tokens")}`;

const COLUMNS = `day, operation, requests, errors, bytes_in AS bytesIn, bytes_out AS bytesOut,
  coalesce(tokens, 0) AS tokens`;
const TABLES = "usage LEFT JOIN usage_tokens USING (key, day, operation)";

/** Selects the {@link UsageRow}s of a key since a day. */
export const READ_USAGE = `SELECT ${COLUMNS} FROM ${TABLES} WHERE key = ? AND day >= ? ORDER BY day, operation`;

/** Selects the {@link KeyUsage} of all keys since a day. */
export const READ_ALL_USAGE = `SELECT key, ${COLUMNS} FROM ${TABLES} WHERE day >= ? ORDER BY key, day, operation`;

export const REMOVE_USAGE = ["usage", "usage_tokens"].map((table) => `DELETE FROM ${table} WHERE day < ?`);

export const valuesOf = ({
  key,
  day,
  operation,
  requests,
  errors,
  bytesIn,
  bytesOut,
}: KeyUsage): (string | number)[] => [
  ...[key, day, operation],
  ...[requests, errors, bytesIn, bytesOut].map((count) => Math.min(count, Number.MAX_SAFE_INTEGER)),
];

/** Returns the values for {@link ADD_TOKENS}. */
export const tokensOf = ({ key, day, operation, tokens }: KeyUsage): (string | number)[] => [
  ...[key, day, operation, tokens],
];

export const NO_COUNTS: Counts = { requests: 0, errors: 0, bytesIn: 0, bytesOut: 0, tokens: 0 };

export const sumOf = (a: Counts, b: Counts): Counts => ({
  requests: a.requests + b.requests,
  errors: a.errors + b.errors,
  bytesIn: a.bytesIn + b.bytesIn,
  bytesOut: a.bytesOut + b.bytesOut,
  tokens: a.tokens + b.tokens,
});

/** Deletes usage older than LIMITS.usageDays. */
export async function removeOldUsage(records: UsageRecords | undefined): Promise<void> {
  await records?.removeBefore(dayOf(Date.now() - LIMITS.usageDays * DAY_MS));
}

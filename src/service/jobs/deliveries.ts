// Schedules webhook messages about completed and failed jobs (docs/api.md#webhooks), in SQLite. Callers run each method
// in a transaction.

import { LIMITS } from "../../document/contract/limits.ts";
import type { NewJob } from "../ports/jobs.ts";
import type { DeliveryAttempt, DeliveryOutcome, WebhookMessage } from "../ports/webhooks.ts";
import type { Sql } from "./sql.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * Delays after failed attempts to post a message. After these retries, which take less than a day, the message is
 * abandoned.
 */
const RETRY_DELAYS_MS: readonly number[] = [
  ...[5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS],
  ...[HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS, 7 * HOUR_MS, 9 * HOUR_MS],
];
/** Jitter as a fraction of the delay, so that messages that failed together are not retried together. */
const JITTER = 0.1;

interface DeliveryRow {
  readonly job: string;
  readonly url: string;
  readonly signer: string;
  readonly client: string;
  readonly ended: number;
  readonly tries: number;
  /** Null until the job has ended. */
  readonly not_before: number;
}

const TABLES = [
  `CREATE TABLE IF NOT EXISTS deliveries (
    job TEXT PRIMARY KEY, url TEXT NOT NULL, receiver TEXT NOT NULL, signer TEXT NOT NULL, client TEXT NOT NULL,
    ended INTEGER, tries INTEGER NOT NULL DEFAULT 0, not_before INTEGER, lease_ends INTEGER)`,
  "CREATE INDEX IF NOT EXISTS deliveries_by_time ON deliveries (not_before)",
  "CREATE INDEX IF NOT EXISTS deliveries_by_lease ON deliveries (lease_ends) WHERE lease_ends IS NOT NULL",
];

/** Messages without a failed attempt come first, so that receivers that fail for hours do not delay the others. */
const NEXT = `SELECT * FROM deliveries WHERE not_before <= ?1 AND lease_ends IS NULL
  AND (receiver, client) NOT IN (SELECT receiver, client FROM deliveries WHERE lease_ends IS NOT NULL
    GROUP BY receiver, client HAVING count(*) >= ?2)
  AND client NOT IN (SELECT client FROM deliveries WHERE lease_ends IS NOT NULL GROUP BY client HAVING count(*) >= ?3)
  ORDER BY tries > 0, not_before LIMIT 1`;

export interface DeliveriesOptions {
  readonly sql: Sql;
  now(): number;
  /** @returns a number from 0 to 1 */
  random(): number;
}

export class WebhookDeliveries {
  readonly #sql: Sql;
  readonly #options: DeliveriesOptions;

  /** Creates the table if it is missing. Records the unfinished attempts of an earlier process as failed. */
  constructor(options: DeliveriesOptions) {
    this.#options = options;
    this.#sql = options.sql;
    for (const statement of TABLES) this.#sql(statement);
    this.#loseLeases(Number.MAX_SAFE_INTEGER);
  }

  /** Stores the receiver of a job, if it has one. */
  add({ id, client, webhook }: Pick<NewJob, "id" | "client" | "webhook">): void {
    if (!webhook) return;
    this.#sql(
      "INSERT INTO deliveries (job, url, receiver, signer, client) VALUES (?, ?, ?, ?, ?)",
      ...[id, webhook.url, new URL(webhook.url).host, webhook.signer, client],
    );
  }

  /** Makes the message of a completed or failed job due. */
  schedule(id: string): void {
    const now = this.#options.now();
    this.#sql("UPDATE deliveries SET ended = ?, not_before = ? WHERE job = ?", now, now, id);
  }

  /** Deletes the message of a deleted job. */
  forget(id: string): void {
    this.#sql("DELETE FROM deliveries WHERE job = ?", id);
  }

  dequeue(): Omit<WebhookMessage, "status"> | undefined {
    const posted = "SELECT count(*) AS count FROM deliveries WHERE lease_ends IS NOT NULL";
    if (Number(this.#sql(posted)[0]!.count) >= LIMITS.webhooks) return undefined;
    const now = this.#options.now();
    const { webhooksOfReceiver, webhooksOfClient } = LIMITS;
    const [row] = this.#sql(NEXT, now, webhooksOfReceiver, webhooksOfClient) as unknown as DeliveryRow[];
    if (!row) return undefined;
    this.#sql("UPDATE deliveries SET lease_ends = ? WHERE job = ?", now + LIMITS.webhookLeaseMs, row.job);
    const { job: id, url, signer, client, ended: endedAt, tries } = row;
    return { id, url, signer, client, endedAt, attempt: tries + 1 };
  }

  /** @returns false if the message is abandoned */
  recordOutcome({ id, attempt }: DeliveryAttempt, outcome: DeliveryOutcome): boolean {
    const one = "SELECT * FROM deliveries WHERE job = ? AND tries = ? AND lease_ends IS NOT NULL";
    const [row] = this.#sql(one, id, attempt - 1) as unknown as DeliveryRow[];
    // The lease had expired, or the job was deleted.
    if (!row) return true;
    if (outcome === "failed") return this.#fail(row);
    if (outcome === "postponed") return this.#pause(row, row.tries, RETRY_DELAYS_MS[1]!);
    this.forget(id);
    return true;
  }

  /** Records attempts with an expired lease as failed. */
  expireLeases(): void {
    this.#loseLeases(this.#options.now());
  }

  nextWakeup(): number | undefined {
    const [{ next }] = this.#sql(
      `SELECT min(time) AS next FROM (SELECT min(lease_ends) AS time FROM deliveries UNION ALL
        SELECT min(not_before) FROM deliveries WHERE lease_ends IS NULL AND not_before > ?)`,
      this.#options.now(),
    ) as [{ readonly next: number | null }];
    return next ?? undefined;
  }

  #loseLeases(until: number): void {
    const lost = this.#sql("SELECT * FROM deliveries WHERE lease_ends <= ?", until) as unknown as DeliveryRow[];
    for (const row of lost) this.#fail(row);
  }

  #fail(row: DeliveryRow): boolean {
    const pauseMs = RETRY_DELAYS_MS[row.tries];
    if (pauseMs !== undefined) return this.#pause(row, row.tries + 1, pauseMs);
    this.forget(row.job);
    return false;
  }

  #pause({ job, ended }: DeliveryRow, tries: number, pauseMs: number): boolean {
    const { now, random } = this.#options;
    const next = Math.round(now() + pauseMs * (1 - JITTER * random()));
    if (next > ended + LIMITS.webhookDayMs) {
      this.forget(job);
      return false;
    }
    this.#sql("UPDATE deliveries SET tries = ?, not_before = ?, lease_ends = NULL WHERE job = ?", tries, next, job);
    return true;
  }
}

// Schedules webhook messages about completed and failed jobs (docs/api.md#webhooks). Callers run each method in a
// transaction. A method never waits for the row of a job while it holds that of a message.

import { LIMITS } from "../../document/contract/limits.ts";
import type { NewJob } from "../ports/jobs.ts";
import type { DeliveryAttempt, DeliveryOutcome, WebhookMessage } from "../ports/webhooks.ts";
import { change, locked, now, query, type Steps } from "./sql.ts";

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

/**
 * Messages without a failed attempt come first, so that receivers that fail for hours do not delay the others.
 * @param own condition of a host that shares the messages
 */
const next = (own: string) => `SELECT * FROM deliveries WHERE not_before <= ?1 AND lease_ends IS NULL
  AND (receiver, client) NOT IN (SELECT receiver, client FROM deliveries WHERE lease_ends IS NOT NULL
    GROUP BY receiver, client HAVING count(*) >= ?2)
  AND client NOT IN (SELECT client FROM deliveries WHERE lease_ends IS NOT NULL GROUP BY client HAVING count(*) >= ?3)${own}
  ORDER BY tries > 0, not_before LIMIT 1 FOR UPDATE SKIP LOCKED`;

export interface DeliveriesOptions {
  /** @returns a number from 0 to 1 */
  random(): number;
  /** This host. @default no other host shares the messages */
  readonly host?: string | undefined;
}

export class WebhookDeliveries {
  readonly #options: DeliveriesOptions;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /**
   * Shortens all leases when a process starts, because attempts of the previous process have no outcome any more. Those
   * of other processes end within this time, unless their connection is slow.
   */
  *shortenLeases(): Steps<void> {
    const graceEnds = (yield* now()) + LIMITS.asyncLeaseMs;
    yield* change("UPDATE deliveries SET lease_ends = ? WHERE lease_ends > ?", graceEnds, graceEnds);
  }

  /** Stores the receiver of a job, if it has one. */
  *add({ id, client, webhook }: Pick<NewJob, "id" | "client" | "webhook">): Steps<void> {
    if (!webhook) return;
    yield* change(
      "INSERT INTO deliveries (job, url, receiver, signer, client) VALUES (?, ?, ?, ?, ?)",
      ...[id, webhook.url, new URL(webhook.url).host, webhook.signer, client],
    );
  }

  /** Makes the message of a completed or failed job due. */
  *schedule(id: string): Steps<void> {
    const time = yield* now();
    yield* change("UPDATE deliveries SET ended = ?, not_before = ? WHERE job = ?", time, time, id);
  }

  /** Deletes the message of a deleted job. */
  *forget(id: string): Steps<void> {
    yield* change("DELETE FROM deliveries WHERE job = ?", id);
  }

  *dequeue(): Steps<Omit<WebhookMessage, "status"> | undefined> {
    yield* locked("deliveries");
    const [posted] = yield* query("SELECT count(*) AS count FROM deliveries WHERE lease_ends IS NOT NULL");
    if (Number(posted!.count) >= LIMITS.webhooks) return undefined;
    const time = yield* now();
    const { webhooksOfReceiver, webhooksOfClient } = LIMITS;
    const { host } = this.#options;
    // A host that could not post a message, perhaps because it has no engine for this, lets other hosts try it first.
    const own = host ? [host, time - LIMITS.asyncRetryMs] : [];
    const statement = next(host ? " AND (host <> ?4 OR not_before <= ?5)" : "");
    const [row] = yield* query<DeliveryRow>(statement, time, webhooksOfReceiver, webhooksOfClient, ...own);
    if (!row) return undefined;
    yield* change("UPDATE deliveries SET lease_ends = ? WHERE job = ?", time + LIMITS.webhookLeaseMs, row.job);
    const { job: id, url, signer, client, ended: endedAt, tries } = row;
    return { id, url, signer, client, endedAt, attempt: tries + 1 };
  }

  /** @returns false if the message is abandoned */
  *recordOutcome({ id, attempt }: DeliveryAttempt, outcome: DeliveryOutcome): Steps<boolean> {
    const one = "SELECT * FROM deliveries WHERE job = ? AND tries = ? AND lease_ends IS NOT NULL FOR UPDATE";
    const [row] = yield* query<DeliveryRow>(one, id, attempt - 1);
    // The lease had expired, or the job was deleted.
    if (!row) return true;
    if (outcome === "failed") return yield* this.#fail(row);
    if (outcome === "postponed") {
      const { host } = this.#options;
      if (host) yield* change("UPDATE deliveries SET host = ? WHERE job = ?", host, id);
      return yield* this.#pause(row, row.tries, RETRY_DELAYS_MS[1]!);
    }
    yield* this.forget(id);
    return true;
  }

  /** Records attempts with an expired lease as failed. */
  *expireLeases(): Steps<void> {
    const lost = "SELECT * FROM deliveries WHERE lease_ends <= ? FOR UPDATE SKIP LOCKED";
    for (const row of yield* query<DeliveryRow>(lost, yield* now())) yield* this.#fail(row);
  }

  *nextWakeup(): Steps<number | null> {
    const [row] = yield* query<{ readonly next: number | null }>(
      `SELECT min(time) AS next FROM (SELECT min(lease_ends) AS time FROM deliveries UNION ALL
        SELECT min(not_before) FROM deliveries WHERE lease_ends IS NULL AND not_before > ?) AS times`,
      yield* now(),
    );
    return row!.next;
  }

  *#fail(row: DeliveryRow): Steps<boolean> {
    const pauseMs = RETRY_DELAYS_MS[row.tries];
    if (pauseMs !== undefined) return yield* this.#pause(row, row.tries + 1, pauseMs);
    yield* this.forget(row.job);
    return false;
  }

  *#pause({ job, ended }: DeliveryRow, tries: number, pauseMs: number): Steps<boolean> {
    const next = Math.round((yield* now()) + pauseMs * (1 - JITTER * this.#options.random()));
    if (next > ended + LIMITS.webhookDayMs) {
      yield* this.forget(job);
      return false;
    }
    yield* change("UPDATE deliveries SET tries = ?, not_before = ?, lease_ends = NULL WHERE job = ?", tries, next, job);
    return true;
  }
}

// Orders asynchronous jobs and records their outcomes. Callers run each method in a transaction. Hosts that share a
// PostgreSQL database run methods at the same time: a method that changes one job locks its row first, and never waits
// for `jobs` or `host` after that.

import { LIMITS } from "../../document/contract/limits.ts";
import type { PendingDeletion } from "../ports/job-store.ts";
import type { AttemptId, JobError, JobMarks, JobStatus, LeasedJob, NewJob, Progress } from "../ports/jobs.ts";
import { tagIn, withTag } from "../regions/id-tag.ts";
import { FIRST_IDS } from "../storage/derived-ids.ts";
import type { WebhookDeliveries } from "./deliveries.ts";
import { readText, writeText } from "./job-texts.ts";
import { change, locked, now, query, type Steps } from "./sql.ts";

/** `canceled`: the client has canceled the job, but its attempt still runs. */
type State = "waiting" | "running" | "canceled" | "completed" | "failed";

interface JobRow {
  readonly number: number;
  readonly id: string;
  readonly state: State;
  readonly path: string;
  readonly base_url: string;
  readonly client: string;
  /** Jobs run in ascending order of `turn`. The jobs of one client have different turns, so that clients alternate. */
  readonly turn: number;
  /** JSON list of IDs. */
  readonly inputs: string;
  /** 1 if the inputs are deleted even when the job completes. */
  readonly transient: number;
  readonly attempt: number;
  readonly losses: number;
  readonly postponements: number;
  readonly seed: string | null;
  /** Number of IDs derived from the seed that might be in use. */
  readonly reserved: number;
  readonly pages_done: number | null;
  readonly pages_total: number | null;
  readonly error: string | null;
  readonly error_status: number | null;
}

/** Maximum number of expired results that are deleted at a time. */
const EXPIRED = 100;
/**
 * Delay before a lost job runs again. A restart of the service loses a job once, so the first delay is 0. Repeated
 * losses are an outage, which can take minutes.
 */
const pauseAfter = (losses: number) => (losses === 0 ? 0 : LIMITS.asyncRetryMs * 4 ** losses);
const LOST: JobError = {
  error: "The file could not be processed because of an internal failure.",
  errorStatus: 500,
};

type Counted = readonly [{ readonly count: number }];

export interface QueueOptions {
  /** Time for which results are stored; 0 means unlimited. */
  readonly lifetimeMs: number;
  readonly maxQueued: number;
  /** This host, if each host that shares the queue runs {@link LIMITS.asyncJobs} jobs at a time. @default all together */
  readonly host?: string | undefined;
  readonly deliveries: Pick<WebhookDeliveries, "add" | "schedule" | "forget">;
}

export class Queue {
  readonly #options: QueueOptions;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /**
   * Shortens all leases when a process starts. Runners in other processes renew theirs within this time. Runners in the
   * queue's previous process have ended with that process: their leases expire.
   */
  *shortenLeases(): Steps<void> {
    const graceEnds = (yield* now()) + LIMITS.asyncGraceMs;
    yield* change("UPDATE jobs SET lease_ends = ? WHERE lease_ends > ?", graceEnds, graceEnds);
  }

  *enqueue(job: NewJob): Steps<boolean> {
    yield* locked("jobs");
    if (yield* this.#row(job.id)) return true;
    if (!(yield* this.#hasCapacityFor(job.client))) return false;
    yield* this.#insert(job, "waiting", job.form);
    return true;
  }

  *record(job: NewJob, answer: string): Steps<void> {
    yield* locked("jobs");
    if (yield* this.#row(job.id)) return;
    yield* this.#insert(job, "completed", answer);
    yield* this.#keep(job.id);
  }

  *dequeue(): Steps<LeasedJob | undefined> {
    yield* locked("host");
    const time = yield* now();
    const host = this.#options.host;
    const running = "SELECT count(*) AS count FROM jobs WHERE state IN ('running', 'canceled')";
    const [{ count }] = (yield* host ? query(`${running} AND host = ?`, host) : query(running)) as Counted;
    if (count >= LIMITS.asyncJobs) return undefined;
    // A host that had no capacity for a job lets other hosts try it first.
    const own = host
      ? { where: " AND (host <> ? OR not_before <= ?)", given: [host, time - LIMITS.asyncRetryMs], set: ", host = ?" }
      : { where: "", given: [], set: "" };
    const [row] = yield* query<JobRow>(
      `SELECT * FROM jobs WHERE state = 'waiting' AND not_before <= ?${own.where} ORDER BY turn, number LIMIT 1
        FOR UPDATE SKIP LOCKED`,
      ...[time, ...own.given],
    );
    if (!row) return undefined;
    const { id, path, base_url: baseUrl, client } = row;
    const [attempt, seed] = [row.attempt + 1, newSeed(id)];
    yield* change(
      `UPDATE jobs SET state = 'running', attempt = ?, seed = ?, reserved = ?, lease_ends = ?, pages_done = NULL,
        pages_total = NULL${own.set} WHERE id = ?`,
      ...[attempt, seed, FIRST_IDS, time + LIMITS.asyncLeaseMs, ...(host ? [host] : []), id],
    );
    yield* change("DELETE FROM steps WHERE job = ?", id);
    return { id, path, baseUrl, client, form: yield* readText(id), attempt, seed };
  }

  *renew(attempt: AttemptId, progress?: Progress): Steps<boolean> {
    if (!isRunning(yield* this.#lock(attempt.id), attempt)) return false;
    yield* change(
      "UPDATE jobs SET lease_ends = ?, pages_done = ?, pages_total = ? WHERE id = ?",
      ...[(yield* now()) + LIMITS.asyncLeaseMs, progress?.pagesDone ?? null, progress?.pagesTotal ?? null],
      attempt.id,
    );
    const { stepsDone, stepsTotal } = progress ?? {};
    if (stepsDone !== undefined && stepsTotal !== undefined) {
      yield* change(
        `INSERT INTO steps (job, done, total) VALUES (?, ?, ?)
          ON CONFLICT (job) DO UPDATE SET done = excluded.done, total = excluded.total`,
        ...[attempt.id, stepsDone, stepsTotal],
      );
    }
    return true;
  }

  *reserve(attempt: AttemptId, ids: number): Steps<boolean> {
    if (!isRunning(yield* this.#lock(attempt.id), attempt)) return false;
    yield* change("UPDATE jobs SET reserved = ? WHERE id = ? AND reserved < ?", ids, attempt.id, ids);
    return true;
  }

  *complete(attempt: AttemptId, answer: string): Steps<boolean> {
    const row = yield* this.#lock(attempt.id);
    if (row?.state === "completed" && row.attempt === attempt.attempt) return true;
    if (!isRunning(row, attempt)) {
      yield* this.#stop(row, attempt);
      return false;
    }
    if (row.transient === 1) yield* this.#addRemoval(row.inputs);
    yield* writeText(attempt.id, answer);
    yield* change("UPDATE jobs SET state = 'completed', lease_ends = NULL WHERE id = ?", attempt.id);
    yield* this.#keep(attempt.id);
    return true;
  }

  *fail(attempt: AttemptId, error: JobError): Steps<void> {
    const row = yield* this.#lock(attempt.id);
    if (isRunning(row, attempt)) yield* this.#fail(row, error);
    else yield* this.#stop(row, attempt);
  }

  *postpone(attempt: AttemptId, error: JobError): Steps<void> {
    const row = yield* this.#lock(attempt.id);
    if (!isRunning(row, attempt)) yield* this.#stop(row, attempt);
    else if (row.postponements >= LIMITS.asyncPostponements) yield* this.#fail(row, error);
    else yield* this.#requeue(row);
  }

  *markLost(attempt: AttemptId): Steps<void> {
    const row = yield* this.#lock(attempt.id);
    if (isRunning(row, attempt)) yield* this.#lose(row);
    else yield* this.#stop(row, attempt);
  }

  *status(id: string): Steps<JobStatus | undefined> {
    const row = yield* this.#row(id);
    switch (row?.state) {
      case "waiting": {
        const first = "SELECT count(*) AS count FROM jobs WHERE state = 'waiting' AND (turn, number) <= (?, ?)";
        const [{ count }] = (yield* query(first, row.turn, row.number)) as Counted;
        return { status: "pending", phase: "waiting", position: count };
      }
      case "running": {
        const { pages_done: pagesDone, pages_total: pagesTotal } = row;
        const counts = pagesDone === null || pagesTotal === null ? {} : { pagesDone, pagesTotal };
        const [steps] = yield* query<{ readonly done: number; readonly total: number }>(
          "SELECT done, total FROM steps WHERE job = ?",
          id,
        );
        const ofSteps = steps ? { stepsDone: steps.done, stepsTotal: steps.total } : {};
        return { status: "pending", phase: "running", ...counts, ...ofSteps };
      }
      case "completed": {
        const answer = yield* readText(id);
        // Another host has deleted the job in the meantime.
        return answer === "" ? undefined : { status: "completed", answer };
      }
      case "failed":
        return { status: "failed", error: row.error!, errorStatus: row.error_status! };
      default:
        return undefined;
    }
  }

  *marks(id: string): Steps<JobMarks | undefined> {
    const row = yield* this.#row(id);
    if (!row || row.state === "canceled") return undefined;
    const [found] = yield* query("SELECT token FROM tokens WHERE job = ?", id);
    return { owner: row.client, ...(found ? { token: String(found.token) } : {}) };
  }

  /** Cancels a job. A running job is deleted when its attempt has stopped. */
  *cancel(id: string): Steps<boolean> {
    const row = yield* this.#lock(id);
    if (!row || row.state === "canceled") return false;
    if (row.state === "running") yield* change("UPDATE jobs SET state = 'canceled' WHERE id = ?", id);
    else {
      // Deletes the outputs by ID, which also deletes the page images derived from them.
      if (row.state === "completed") yield* this.#addRemoval(JSON.stringify(outputsIn(yield* readText(id))));
      yield* this.#forget(row);
    }
    return true;
  }

  /** Requeues or fails attempts with an expired lease, and deletes expired results. */
  *expireLeases(): Steps<void> {
    const time = yield* now();
    const lost = yield* query<JobRow>("SELECT * FROM jobs WHERE lease_ends <= ? FOR UPDATE SKIP LOCKED", time);
    for (const row of lost) {
      if (row.state === "canceled") yield* this.#forget(row);
      else yield* this.#lose(row);
    }
    const expired = "SELECT id FROM jobs WHERE ends <= ? LIMIT ? FOR UPDATE SKIP LOCKED";
    for (const { id } of yield* query(expired, time, EXPIRED)) yield* this.#delete(String(id));
  }

  /** @returns the times of the next changes in milliseconds since 1970, or null */
  *nextTimes(): Steps<readonly (number | null)[]> {
    const time = yield* now();
    const [row] = yield* query<{ readonly next: number | null; readonly deletion: number | null }>(
      `SELECT min(time) AS next, (SELECT min(not_before) FROM removals) AS deletion
        FROM (SELECT min(lease_ends) AS time FROM jobs UNION ALL
          SELECT min(not_before) FROM jobs WHERE state = 'waiting' AND not_before > ? UNION ALL
          SELECT min(ends) FROM jobs) AS times`,
      time,
    );
    const { next, deletion } = row!;
    return [next, deletion === null ? null : Math.max(deletion, time + LIMITS.asyncRetryMs)];
  }

  *nextDeletion(): Steps<PendingDeletion | undefined> {
    const time = yield* now();
    const due = "SELECT * FROM removals WHERE not_before <= ? ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED";
    const [row] = yield* query(due, time);
    if (!row) return undefined;
    const number = Number(row.number);
    yield* change("UPDATE removals SET not_before = ? WHERE number = ?", time + LIMITS.asyncLeaseMs, number);
    const ids = JSON.parse(String(row.ids)) as readonly string[];
    const seed = row.seed === null ? undefined : String(row.seed);
    return { number, ids, seed, reserved: Number(row.reserved) };
  }

  *deletionDone({ number }: PendingDeletion): Steps<void> {
    yield* change("DELETE FROM removals WHERE number = ?", number);
  }

  *deletionFailed({ number }: PendingDeletion): Steps<void> {
    const later = (yield* now()) + LIMITS.asyncRetryMs;
    yield* change("UPDATE removals SET not_before = ? WHERE number = ?", later, number);
  }

  *#requeue(row: JobRow): Steps<void> {
    yield* this.#addRemoval("[]", row);
    yield* change(
      `UPDATE jobs SET state = 'waiting', postponements = postponements + 1, not_before = ?, lease_ends = NULL
        WHERE id = ?`,
      ...[(yield* now()) + LIMITS.asyncRetryMs, row.id],
    );
  }

  *#lose(row: JobRow): Steps<void> {
    if (row.losses + 1 >= LIMITS.asyncAttempts) {
      yield* this.#fail(row, LOST);
      return;
    }
    yield* this.#addRemoval("[]", row);
    const anyHost = this.#options.host ? ", host = ''" : "";
    yield* change(
      `UPDATE jobs SET state = 'waiting', losses = losses + 1, not_before = ?, lease_ends = NULL${anyHost} WHERE id = ?`,
      ...[(yield* now()) + pauseAfter(row.losses), row.id],
    );
  }

  *#fail(row: JobRow, { error, errorStatus }: JobError): Steps<void> {
    yield* this.#addRemoval(row.inputs, row);
    yield* writeText(row.id, "");
    yield* change(
      "UPDATE jobs SET state = 'failed', error = ?, error_status = ?, lease_ends = NULL WHERE id = ?",
      ...[error, errorStatus, row.id],
    );
    yield* this.#keep(row.id);
  }

  /** Deletes a canceled job when its attempt stops. Ignores attempts that lost their lease. */
  *#stop(row: JobRow | undefined, { attempt }: AttemptId): Steps<void> {
    if (row?.state === "canceled" && row.attempt === attempt) yield* this.#forget(row);
  }

  *#forget(row: JobRow): Steps<void> {
    yield* this.#addRemoval(row.inputs, row);
    yield* this.#delete(row.id);
  }

  *#delete(id: string): Steps<void> {
    for (const table of ["texts", "tokens", "steps"]) yield* change(`DELETE FROM ${table} WHERE job = ?`, id);
    yield* change("DELETE FROM jobs WHERE id = ?", id);
    yield* this.#options.deliveries.forget(id);
  }

  *#addRemoval(
    ids: string,
    { seed, reserved }: Pick<JobRow, "seed" | "reserved"> = { seed: null, reserved: 0 },
  ): Steps<void> {
    if (ids === "[]" && seed === null) return;
    yield* change("INSERT INTO removals (ids, seed, reserved) VALUES (?, ?, ?)", ids, seed, reserved);
  }

  /** Starts the lifetime of a job's result, and schedules the job's webhook message. */
  *#keep(id: string): Steps<void> {
    const { lifetimeMs, deliveries } = this.#options;
    if (lifetimeMs > 0) yield* change("UPDATE jobs SET ends = ? WHERE id = ?", (yield* now()) + lifetimeMs, id);
    yield* deliveries.schedule(id);
  }

  *#insert(job: NewJob, state: State, text: string): Steps<void> {
    const { id, path, baseUrl, client, token, inputs, isTransient } = job;
    yield* change(
      "INSERT INTO jobs (id, state, path, base_url, client, turn, inputs, transient) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      ...[id, state, path, baseUrl, client, yield* this.#turnOf(client), JSON.stringify(inputs), isTransient ? 1 : 0],
    );
    if (token !== undefined) yield* change("INSERT INTO tokens (job, token) VALUES (?, ?)", id, token);
    yield* writeText(id, text);
    yield* this.#options.deliveries.add(job);
  }

  *#row(id: string): Steps<JobRow | undefined> {
    return (yield* query<JobRow>("SELECT * FROM jobs WHERE id = ?", id))[0];
  }

  /** Returns the row of a job, which no other transaction changes until this one has ended. */
  *#lock(id: string): Steps<JobRow | undefined> {
    return (yield* query<JobRow>("SELECT * FROM jobs WHERE id = ? FOR UPDATE", id))[0];
  }

  /**
   * Reports whether a client has fewer queued jobs than the queue has free places, so that one client fills at most
   * half of the queue.
   */
  *#hasCapacityFor(client: string): Steps<boolean> {
    const [row] = yield* query<{ readonly queued: number; readonly own: number }>(
      `SELECT (SELECT count(*) FROM jobs WHERE state = 'waiting') AS queued,
        (SELECT count(*) FROM jobs WHERE state = 'waiting' AND client = ?) AS own`,
      client,
    );
    return row!.own < this.#options.maxQueued - row!.queued;
  }

  /**
   * Returns `turn` for a client's next job: greater than the turns of the client's other jobs, and not less than the
   * turn of the first queued job.
   */
  *#turnOf(client: string): Steps<number> {
    const [row] = yield* query<{ readonly turn: number }>(
      `SELECT max(turn) AS turn FROM (
        SELECT coalesce(min(turn), 1) AS turn FROM jobs WHERE state = 'waiting' AND not_before <= ? UNION ALL
        SELECT coalesce(max(turn), 0) + 1 FROM jobs WHERE state IN ('waiting', 'running') AND client = ?) AS turns`,
      ...[yield* now(), client],
    );
    return row!.turn;
  }
}

/** True for the row of an attempt that runs and may have an outcome. */
const isRunning = (row: JobRow | undefined, { attempt }: AttemptId): row is JobRow =>
  row?.state === "running" && row.attempt === attempt;

/** Returns the IDs of a response's outputs. */
const outputsIn = (answer: string): string[] =>
  [(JSON.parse(answer) as { readonly outputId?: string | string[] }).outputId ?? []].flat();

/** Returns a secret with the tag of the job, because the files of an attempt are in the region of the job. */
const newSeed = (id: string) => withTag(crypto.randomUUID() + crypto.randomUUID(), tagIn(id));

// Orders asynchronous jobs and records their outcomes, in SQLite. Callers run each method in a transaction.

import { LIMITS } from "../../document/contract/limits.ts";
import type { PendingDeletion } from "../ports/job-store.ts";
import type { AttemptId, JobError, JobMarks, JobStatus, LeasedJob, NewJob, Progress } from "../ports/jobs.ts";
import { tagIn, withTag } from "../regions/id-tag.ts";
import { FIRST_IDS } from "../storage/derived-ids.ts";
import type { WebhookDeliveries } from "./deliveries.ts";
import type { Sql } from "./sql.ts";

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

const TABLES = [
  `CREATE TABLE IF NOT EXISTS jobs (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, state TEXT NOT NULL, path TEXT NOT NULL,
    base_url TEXT NOT NULL, client TEXT NOT NULL, turn INTEGER NOT NULL, inputs TEXT NOT NULL,
    transient INTEGER NOT NULL, attempt INTEGER NOT NULL DEFAULT 0, losses INTEGER NOT NULL DEFAULT 0,
    postponements INTEGER NOT NULL DEFAULT 0, not_before INTEGER NOT NULL DEFAULT 0, lease_ends INTEGER, seed TEXT,
    reserved INTEGER NOT NULL DEFAULT 0, pages_done INTEGER, pages_total INTEGER, error TEXT, error_status INTEGER,
    ends INTEGER)`,
  "CREATE INDEX IF NOT EXISTS jobs_by_turn ON jobs (state, turn, number)",
  "CREATE INDEX IF NOT EXISTS jobs_by_client ON jobs (state, client, turn)",
  "CREATE INDEX IF NOT EXISTS jobs_by_end ON jobs (ends)",
  `CREATE TABLE IF NOT EXISTS texts (job TEXT NOT NULL, piece INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (job, piece))`,
  "CREATE TABLE IF NOT EXISTS tokens (job TEXT PRIMARY KEY, token TEXT NOT NULL)",
  "CREATE TABLE IF NOT EXISTS steps (job TEXT PRIMARY KEY, done INTEGER NOT NULL, total INTEGER NOT NULL)",
  `CREATE TABLE IF NOT EXISTS removals (number INTEGER PRIMARY KEY, ids TEXT NOT NULL, seed TEXT,
    reserved INTEGER NOT NULL, not_before INTEGER NOT NULL DEFAULT 0)`,
];

/** Characters per chunk of a text. SQLite in a Durable Object limits a row to 2 MB. */
const PIECE_LETTERS = 1_000_000;
/**
 * Delay before a lost job runs again. A restart of the service loses a job once, so the first delay is 0. Repeated
 * losses are an outage, which can take minutes.
 */
const pauseAfter = (losses: number) => (losses === 0 ? 0 : LIMITS.asyncRetryMs * 4 ** losses);
const LOST: JobError = {
  error: "The file could not be processed because of an internal failure.",
  errorStatus: 500,
};

export interface QueueOptions {
  readonly sql: Sql;
  now(): number;
  /** Time for which results are stored; 0 means unlimited. */
  readonly lifetimeMs: number;
  readonly maxQueued: number;
  readonly deliveries: Pick<WebhookDeliveries, "add" | "schedule" | "forget">;
}

export class Queue {
  readonly #sql: Sql;
  readonly #options: QueueOptions;

  /** Creates missing tables. */
  constructor(options: QueueOptions) {
    this.#options = options;
    this.#sql = options.sql;
    for (const statement of TABLES) this.#sql(statement);
    // Shortens all leases. Runners in other processes renew theirs within this time. Runners in the queue's previous
    // process have ended with that process: their leases expire.
    const graceEnds = options.now() + LIMITS.asyncGraceMs;
    this.#sql("UPDATE jobs SET lease_ends = ? WHERE lease_ends > ?", graceEnds, graceEnds);
  }

  enqueue(job: NewJob): boolean {
    if (this.#row(job.id)) return true;
    if (!this.#hasCapacityFor(job.client)) return false;
    this.#insert(job, "waiting", job.form);
    return true;
  }

  record(job: NewJob, answer: string): void {
    if (this.#row(job.id)) return;
    this.#insert(job, "completed", answer);
    this.#keep(job.id);
  }

  dequeue(): LeasedJob | undefined {
    if (this.#count("running") + this.#count("canceled") >= LIMITS.asyncJobs) return undefined;
    const now = this.#options.now();
    const [row] = this.#sql(
      "SELECT * FROM jobs WHERE state = 'waiting' AND not_before <= ? ORDER BY turn, number LIMIT 1",
      now,
    ) as unknown as JobRow[];
    if (!row) return undefined;
    const { id, path, base_url: baseUrl, client } = row;
    const leased = { id, path, baseUrl, client, form: this.#text(id), attempt: row.attempt + 1, seed: newSeed(id) };
    this.#sql(
      `UPDATE jobs SET state = 'running', attempt = ?, seed = ?, reserved = ?, lease_ends = ?, pages_done = NULL,
        pages_total = NULL WHERE id = ?`,
      ...[leased.attempt, leased.seed, FIRST_IDS, now + LIMITS.asyncLeaseMs, id],
    );
    this.#sql("DELETE FROM steps WHERE job = ?", id);
    return leased;
  }

  renew(attempt: AttemptId, progress?: Progress): boolean {
    if (!this.#running(attempt)) return false;
    this.#sql(
      "UPDATE jobs SET lease_ends = ?, pages_done = ?, pages_total = ? WHERE id = ?",
      ...[this.#options.now() + LIMITS.asyncLeaseMs, progress?.pagesDone ?? null, progress?.pagesTotal ?? null],
      attempt.id,
    );
    const { stepsDone, stepsTotal } = progress ?? {};
    if (stepsDone !== undefined && stepsTotal !== undefined) {
      this.#sql("INSERT OR REPLACE INTO steps (job, done, total) VALUES (?, ?, ?)", attempt.id, stepsDone, stepsTotal);
    }
    return true;
  }

  reserve(attempt: AttemptId, ids: number): boolean {
    if (!this.#running(attempt)) return false;
    this.#sql("UPDATE jobs SET reserved = max(reserved, ?) WHERE id = ?", ids, attempt.id);
    return true;
  }

  complete(attempt: AttemptId, answer: string): boolean {
    const row = this.#row(attempt.id);
    if (row?.state === "completed" && row.attempt === attempt.attempt) return true;
    if (!row || !this.#running(attempt)) {
      this.#stop(attempt);
      return false;
    }
    if (row.transient === 1) this.#addRemoval(row.inputs);
    this.#write(attempt.id, answer);
    this.#sql("UPDATE jobs SET state = 'completed', lease_ends = NULL WHERE id = ?", attempt.id);
    this.#keep(attempt.id);
    return true;
  }

  fail(attempt: AttemptId, error: JobError): void {
    const row = this.#running(attempt);
    if (row) this.#fail(row, error);
    else this.#stop(attempt);
  }

  postpone(attempt: AttemptId, error: JobError): void {
    const row = this.#running(attempt);
    if (!row) this.#stop(attempt);
    else if (row.postponements >= LIMITS.asyncPostponements) this.#fail(row, error);
    else this.#requeue(row);
  }

  markLost(attempt: AttemptId): void {
    const row = this.#running(attempt);
    if (row) this.#lose(row);
    else this.#stop(attempt);
  }

  status(id: string): JobStatus | undefined {
    const row = this.#row(id);
    switch (row?.state) {
      case "waiting": {
        const first = "SELECT count(*) AS count FROM jobs WHERE state = 'waiting' AND (turn, number) <= (?, ?)";
        const position = Number(this.#sql(first, row.turn, row.number)[0]!.count);
        return { status: "pending", phase: "waiting", position };
      }
      case "running": {
        const { pages_done: pagesDone, pages_total: pagesTotal } = row;
        const counts = pagesDone === null || pagesTotal === null ? {} : { pagesDone, pagesTotal };
        const [steps] = this.#sql("SELECT done AS stepsDone, total AS stepsTotal FROM steps WHERE job = ?", id);
        return { status: "pending", phase: "running", ...counts, ...steps };
      }
      case "completed":
        return { status: "completed", answer: this.#text(id) };
      case "failed":
        return { status: "failed", error: row.error!, errorStatus: row.error_status! };
      default:
        return undefined;
    }
  }

  marks(id: string): JobMarks | undefined {
    const row = this.#row(id);
    if (!row || row.state === "canceled") return undefined;
    const [found] = this.#sql("SELECT token FROM tokens WHERE job = ?", id);
    return { owner: row.client, ...(found ? { token: String(found.token) } : {}) };
  }

  /** Cancels a job. A running job is deleted when its attempt has stopped. */
  cancel(id: string): boolean {
    const row = this.#row(id);
    if (!row || row.state === "canceled") return false;
    if (row.state === "running") this.#sql("UPDATE jobs SET state = 'canceled' WHERE id = ?", id);
    else {
      // Deletes the outputs by ID, which also deletes the page images derived from them.
      if (row.state === "completed") this.#addRemoval(JSON.stringify(outputsIn(this.#text(id))));
      this.#forget(row);
    }
    return true;
  }

  /** Requeues or fails attempts with an expired lease, and deletes expired results. */
  expireLeases(): void {
    const now = this.#options.now();
    const lost = this.#sql("SELECT * FROM jobs WHERE lease_ends <= ?", now) as unknown as JobRow[];
    for (const row of lost) {
      if (row.state === "canceled") this.#forget(row);
      else this.#lose(row);
    }
    const expired = this.#sql("SELECT id FROM jobs WHERE ends <= ?", now);
    for (const { id } of expired) this.#delete(String(id));
  }

  nextWakeup(): number | undefined {
    const [{ next }] = this.#sql(
      `SELECT min(time) AS next FROM (SELECT min(lease_ends) AS time FROM jobs UNION ALL
        SELECT min(not_before) FROM jobs WHERE state = 'waiting' AND not_before > ?1 UNION ALL
        SELECT min(ends) FROM jobs UNION ALL SELECT min(max(not_before, ?1 + ?2)) FROM removals)`,
      ...[this.#options.now(), LIMITS.asyncRetryMs],
    ) as [{ readonly next: number | null }];
    return next ?? undefined;
  }

  nextDeletion(): PendingDeletion | undefined {
    const due = "SELECT * FROM removals WHERE not_before <= ? ORDER BY number LIMIT 1";
    const [row] = this.#sql(due, this.#options.now());
    if (!row) return undefined;
    const ids = JSON.parse(String(row.ids)) as readonly string[];
    const seed = row.seed === null ? undefined : String(row.seed);
    return { number: Number(row.number), ids, seed, reserved: Number(row.reserved) };
  }

  deletionDone({ number }: PendingDeletion): void {
    this.#sql("DELETE FROM removals WHERE number = ?", number);
  }

  deletionFailed({ number }: PendingDeletion): void {
    const later = this.#options.now() + LIMITS.asyncRetryMs;
    this.#sql("UPDATE removals SET not_before = ? WHERE number = ?", later, number);
  }

  #requeue(row: JobRow): void {
    this.#addRemoval("[]", row);
    this.#sql(
      `UPDATE jobs SET state = 'waiting', postponements = postponements + 1, not_before = ?, lease_ends = NULL
        WHERE id = ?`,
      ...[this.#options.now() + LIMITS.asyncRetryMs, row.id],
    );
  }

  #lose(row: JobRow): void {
    if (row.losses + 1 >= LIMITS.asyncAttempts) {
      this.#fail(row, LOST);
      return;
    }
    this.#addRemoval("[]", row);
    this.#sql(
      "UPDATE jobs SET state = 'waiting', losses = losses + 1, not_before = ?, lease_ends = NULL WHERE id = ?",
      ...[this.#options.now() + pauseAfter(row.losses), row.id],
    );
  }

  #fail(row: JobRow, { error, errorStatus }: JobError): void {
    this.#addRemoval(row.inputs, row);
    this.#write(row.id, "");
    this.#sql(
      "UPDATE jobs SET state = 'failed', error = ?, error_status = ?, lease_ends = NULL WHERE id = ?",
      ...[error, errorStatus, row.id],
    );
    this.#keep(row.id);
  }

  /** Deletes a canceled job when its attempt stops. Ignores attempts that lost their lease. */
  #stop({ id, attempt }: AttemptId): void {
    const row = this.#row(id);
    if (row?.state === "canceled" && row.attempt === attempt) this.#forget(row);
  }

  #forget(row: JobRow): void {
    this.#addRemoval(row.inputs, row);
    this.#delete(row.id);
  }

  #delete(id: string): void {
    for (const table of ["texts", "tokens", "steps"]) this.#sql(`DELETE FROM ${table} WHERE job = ?`, id);
    this.#sql("DELETE FROM jobs WHERE id = ?", id);
    this.#options.deliveries.forget(id);
  }

  #addRemoval(ids: string, { seed, reserved }: Pick<JobRow, "seed" | "reserved"> = { seed: null, reserved: 0 }): void {
    if (ids === "[]" && seed === null) return;
    this.#sql("INSERT INTO removals (ids, seed, reserved) VALUES (?, ?, ?)", ids, seed, reserved);
  }

  /** Starts the lifetime of a job's result, and schedules the job's webhook message. */
  #keep(id: string): void {
    const { lifetimeMs, now, deliveries } = this.#options;
    if (lifetimeMs > 0) this.#sql("UPDATE jobs SET ends = ? WHERE id = ?", now() + lifetimeMs, id);
    deliveries.schedule(id);
  }

  #insert(job: NewJob, state: State, text: string): void {
    const { id, path, baseUrl, client, token, inputs, isTransient } = job;
    this.#sql(
      "INSERT INTO jobs (id, state, path, base_url, client, turn, inputs, transient) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      ...[id, state, path, baseUrl, client, this.#turnOf(client), JSON.stringify(inputs), isTransient ? 1 : 0],
    );
    if (token !== undefined) this.#sql("INSERT INTO tokens (job, token) VALUES (?, ?)", id, token);
    this.#write(id, text);
    this.#options.deliveries.add(job);
  }

  /** Replaces the text of a job: first its form, then its response. */
  #write(id: string, json: string): void {
    const text = ascii(json);
    this.#sql("DELETE FROM texts WHERE job = ?", id);
    for (let piece = 0; piece * PIECE_LETTERS < text.length; piece++) {
      const letters = text.slice(piece * PIECE_LETTERS, (piece + 1) * PIECE_LETTERS);
      this.#sql("INSERT INTO texts (job, piece, text) VALUES (?, ?, ?)", id, piece, letters);
    }
  }

  #text(id: string): string {
    const pieces = this.#sql("SELECT text FROM texts WHERE job = ? ORDER BY piece", id);
    return pieces.map(({ text }) => text).join("");
  }

  #running({ id, attempt }: AttemptId): JobRow | undefined {
    const row = this.#row(id);
    return row?.state === "running" && row.attempt === attempt ? row : undefined;
  }

  #row(id: string): JobRow | undefined {
    return this.#sql("SELECT * FROM jobs WHERE id = ?", id)[0] as unknown as JobRow | undefined;
  }

  /**
   * Reports whether a client has fewer queued jobs than the queue has free places, so that one client fills at most
   * half of the queue.
   */
  #hasCapacityFor(client: string): boolean {
    const own = "SELECT count(*) AS count FROM jobs WHERE state = 'waiting' AND client = ?";
    const available = this.#options.maxQueued - this.#count("waiting");
    return Number(this.#sql(own, client)[0]!.count) < available;
  }

  /**
   * Returns `turn` for a client's next job: greater than the turns of the client's other jobs, and not less than the
   * turn of the first queued job.
   */
  #turnOf(client: string): number {
    const [{ turn }] = this.#sql(
      `SELECT max(
        coalesce((SELECT min(turn) FROM jobs WHERE state = 'waiting' AND not_before <= ?), 1),
        coalesce((SELECT max(turn) FROM jobs WHERE state IN ('waiting', 'running') AND client = ?), 0) + 1) AS turn`,
      ...[this.#options.now(), client],
    ) as [{ readonly turn: number }];
    return turn;
  }

  #count(state: State): number {
    return Number(this.#sql("SELECT count(*) AS count FROM jobs WHERE state = ?", state)[0]!.count);
  }
}

/** Escapes JSON to ASCII, so that no chunk ends within a character. */
const ascii = (json: string) =>
  json.replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Returns the IDs of a response's outputs. */
const outputsIn = (answer: string): string[] =>
  [(JSON.parse(answer) as { readonly outputId?: string | string[] }).outputId ?? []].flat();

/** Returns a secret with the tag of the job, because the files of an attempt are in the region of the job. */
const newSeed = (id: string) => withTag(crypto.randomUUID() + crypto.randomUUID(), tagIn(id));

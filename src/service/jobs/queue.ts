// Decides which asynchronous job runs when, and what becomes of it. Knows neither where jobs are stored nor what they
// do. Everything happens at once: the caller lets nothing else happen between two statements.

import { LIMITS } from "../../document/contract/limits.ts";
import type { AttemptId, JobError, JobMarks, JobStatus, LeasedJob, NewJob, Progress } from "../ports/jobs.ts";
import { FIRST_IDS } from "../storage/derived-ids.ts";
import type { WebhookDeliveries } from "./deliveries.ts";
import type { Sql } from "./sql.ts";

/** `canceled`: the attempt has not noticed yet. */
type State = "waiting" | "running" | "canceled" | "completed" | "failed";

interface JobRow {
  readonly number: number;
  readonly id: string;
  readonly state: State;
  readonly path: string;
  readonly base_url: string;
  readonly client: string;
  /** Jobs run in the order of their turns. Those of one client have different turns, so clients take turns. */
  readonly turn: number;
  /** JSON list of ids. */
  readonly inputs: string;
  /** 1 if the inputs are removed in any case. */
  readonly transient: number;
  readonly attempt: number;
  readonly losses: number;
  readonly postponements: number;
  readonly seed: string | null;
  /** Number of ids derived from the seed that may be in use. */
  readonly reserved: number;
  readonly pages_done: number | null;
  readonly pages_total: number | null;
  readonly error: string | null;
  readonly error_status: number | null;
}

/** Files that must not remain: those with the ids, and those with the first ids derived from the seed. */
export interface PendingDeletion {
  readonly number: number;
  readonly ids: readonly string[];
  readonly seed: string | undefined;
  readonly reserved: number;
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
  `CREATE TABLE IF NOT EXISTS removals (number INTEGER PRIMARY KEY, ids TEXT NOT NULL, seed TEXT,
    reserved INTEGER NOT NULL, not_before INTEGER NOT NULL DEFAULT 0)`,
];

/** Letters of a piece of a text. A row may have 2 MB. */
const PIECE_LETTERS = 1_000_000;
/** A service that restarts loses a job once. Repeated losses are an outage, which may take minutes. */
const pauseAfter = (losses: number) => (losses === 0 ? 0 : LIMITS.asyncPauseMs * 4 ** losses);
const LOST: JobError = {
  error: "The file could not be processed because of an internal failure.",
  errorStatus: 500,
};

export interface QueueOptions {
  readonly sql: Sql;
  now(): number;
  /** Time for which results are kept; 0 means unlimited. */
  readonly lifetimeMs: number;
  /** Learns of jobs that are new, have completed or failed, or are forgotten. */
  readonly deliveries: Pick<WebhookDeliveries, "add" | "schedule" | "forget">;
}

export class Queue {
  readonly #sql: Sql;
  readonly #options: QueueOptions;

  /** Makes the tables if there are none. */
  constructor(options: QueueOptions) {
    this.#options = options;
    this.#sql = options.sql;
    for (const statement of TABLES) this.#sql(statement);
    // Runners that still work are heard of soon; others ended with the process of the queue.
    const graceEnds = options.now() + LIMITS.asyncGraceMs;
    this.#sql("UPDATE jobs SET lease_ends = ? WHERE lease_ends > ?", graceEnds, graceEnds);
  }

  enqueue(job: NewJob): boolean {
    if (this.#row(job.id)) return true;
    if (!this.#hasRoomFor(job.client)) return false;
    this.#insert(job, "waiting", job.form);
    return true;
  }

  record(job: NewJob, answer: string): void {
    if (this.#row(job.id)) return;
    this.#insert(job, "completed", answer);
    this.#keep(job.id);
  }

  /** @returns the next job, whose lease begins; undefined if none waits or as many run as may */
  dequeue(): LeasedJob | undefined {
    if (this.#count("running") + this.#count("canceled") >= LIMITS.asyncJobs) return undefined;
    const now = this.#options.now();
    const [row] = this.#sql(
      "SELECT * FROM jobs WHERE state = 'waiting' AND not_before <= ? ORDER BY turn, number LIMIT 1",
      now,
    ) as unknown as JobRow[];
    if (!row) return undefined;
    const { id, path, base_url: baseUrl, client } = row;
    const taken = { id, path, baseUrl, client, form: this.#text(id), attempt: row.attempt + 1, seed: newSeed() };
    this.#sql(
      `UPDATE jobs SET state = 'running', attempt = ?, seed = ?, reserved = ?, lease_ends = ?, pages_done = NULL,
        pages_total = NULL WHERE id = ?`,
      ...[taken.attempt, taken.seed, FIRST_IDS, now + LIMITS.asyncLeaseMs, id],
    );
    return taken;
  }

  renew(attempt: AttemptId, progress?: Progress): boolean {
    if (!this.#running(attempt)) return false;
    this.#sql(
      "UPDATE jobs SET lease_ends = ?, pages_done = ?, pages_total = ? WHERE id = ?",
      ...[this.#options.now() + LIMITS.asyncLeaseMs, progress?.pagesDone ?? null, progress?.pagesTotal ?? null],
      attempt.id,
    );
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
    else this.requeue(row);
  }

  /** Notes that nothing more will be heard of an attempt. */
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
        return { status: "pending", phase: "running", ...counts };
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

  /** A job that runs is forgotten when its attempt has stopped. */
  cancel(id: string): boolean {
    const row = this.#row(id);
    if (!row || row.state === "canceled") return false;
    if (row.state === "running") this.#sql("UPDATE jobs SET state = 'canceled' WHERE id = ?", id);
    else {
      // What was derived from the outputs goes with them.
      if (row.state === "completed") this.#addRemoval(JSON.stringify(outputsIn(this.#text(id))));
      this.#forget(row);
    }
    return true;
  }

  /** Notes which leases and which results have ended. */
  expireLeases(): void {
    const now = this.#options.now();
    const lost = this.#sql("SELECT * FROM jobs WHERE lease_ends <= ?", now) as unknown as JobRow[];
    for (const row of lost) {
      if (row.state === "canceled") this.#forget(row);
      else this.#lose(row);
    }
    const over = this.#sql("SELECT id FROM jobs WHERE ends <= ?", now);
    for (const { id } of over) this.#delete(String(id));
  }

  /**
   * Returns the time of the next change that nobody announces; undefined if there is none. Removals that are due count
   * as if they failed, because the process may end before they are done.
   */
  nextWakeup(): number | undefined {
    const [{ next }] = this.#sql(
      `SELECT min(time) AS next FROM (SELECT min(lease_ends) AS time FROM jobs UNION ALL
        SELECT min(not_before) FROM jobs WHERE state = 'waiting' AND not_before > ?1 UNION ALL
        SELECT min(ends) FROM jobs UNION ALL SELECT min(max(not_before, ?1 + ?2)) FROM removals)`,
      ...[this.#options.now(), LIMITS.asyncPauseMs],
    ) as [{ readonly next: number | null }];
    return next ?? undefined;
  }

  /** @returns a removal that is due */
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

  /** Notes that a removal failed, and is to be tried again later. */
  deletionFailed({ number }: PendingDeletion): void {
    const later = this.#options.now() + LIMITS.asyncPauseMs;
    this.#sql("UPDATE removals SET not_before = ? WHERE number = ?", later, number);
  }

  requeue(row: JobRow): void {
    this.#addRemoval("[]", row);
    this.#sql(
      `UPDATE jobs SET state = 'waiting', postponements = postponements + 1, not_before = ?, lease_ends = NULL
        WHERE id = ?`,
      ...[this.#options.now() + LIMITS.asyncPauseMs, row.id],
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

  /** Forgets a canceled job whose attempt has stopped. An attempt that lost its job has no say any more. */
  #stop({ id, attempt }: AttemptId): void {
    const row = this.#row(id);
    if (row?.state === "canceled" && row.attempt === attempt) this.#forget(row);
  }

  #forget(row: JobRow): void {
    this.#addRemoval(row.inputs, row);
    this.#delete(row.id);
  }

  #delete(id: string): void {
    for (const table of ["texts", "tokens"]) this.#sql(`DELETE FROM ${table} WHERE job = ?`, id);
    this.#sql("DELETE FROM jobs WHERE id = ?", id);
    this.#options.deliveries.forget(id);
  }

  #addRemoval(ids: string, { seed, reserved }: Pick<JobRow, "seed" | "reserved"> = { seed: null, reserved: 0 }): void {
    if (ids === "[]" && seed === null) return;
    this.#sql("INSERT INTO removals (ids, seed, reserved) VALUES (?, ?, ?)", ids, seed, reserved);
  }

  /** Keeps a result for its lifetime. */
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

  /** Replaces the text of a job: its form, and then its answer. */
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

  /** A client has no more waiting jobs than there is room left for those of others. */
  #hasRoomFor(client: string): boolean {
    const own = "SELECT count(*) AS count FROM jobs WHERE state = 'waiting' AND client = ?";
    const room = LIMITS.asyncJobsWaiting - this.#count("waiting");
    return Number(this.#sql(own, client)[0]!.count) < room;
  }

  /** Returns the turn of a client's next job: behind its own jobs, and not before those of others that wait. */
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

/** Returns the same JSON with one byte for each letter, so that no piece ends within a character. */
const ascii = (json: string) =>
  json.replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Returns the ids of the outputs that an answer names. */
const outputsIn = (answer: string): string[] =>
  [(JSON.parse(answer) as { readonly outputId?: string | string[] }).outputId ?? []].flat();

/** Two UUIDs, of which each has 122 random bits. */
const newSeed = () => crypto.randomUUID() + crypto.randomUUID();

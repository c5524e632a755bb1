// Counts the requests of clients with limits in PostgreSQL, for all hosts together.

import { ClientCounts, type SerializedCounts } from "../../../src/service/keys/client-counts.ts";
import type {
  LimitDecision,
  Limiter,
  LimitRequest,
  Limits,
  RemainingLimits,
  RemovedFile,
  StoredBytes,
} from "../../../src/service/ports/limiter.ts";
import { RecordsUnavailable } from "../../../src/service/ports/records-unavailable.ts";
import type { Database, RunStatement } from "./database.ts";
import { type Clock, DATABASE_CLOCK, readingOf, readLocked, stateIn } from "./locked-state.ts";

const COUNTS = { table: "clients", name: "client", state: "counts" };
const READ = readingOf(COUNTS);
const WRITE = `INSERT INTO pagewright.clients (client, counts, changed) VALUES ($1, $2, $3)
  ON CONFLICT (client) DO UPDATE SET counts = excluded.counts, changed = excluded.changed`;
const READ_IDLE = `SELECT client, counts FROM pagewright.clients WHERE client > $1 AND changed < $2
  ORDER BY client LIMIT 200`;
/** Only if no host has changed it meanwhile. */
const REMOVE = "DELETE FROM pagewright.clients WHERE client = $1 AND counts = $2";
/** Time without a request after which a client's counts might all have expired. */
const IDLE_MS = 10 * 60_000;

/** A change that waits, with the promise of its result. */
interface Change {
  apply(counts: ClientCounts): unknown;
  /** True if it is made later if the database is away, because it is about something that has happened. */
  readonly isOwed: boolean;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export class PostgresLimiter implements Limiter {
  readonly #database: Database;
  readonly #clock: Clock;
  /** Changes that wait for the transaction of their client, so that a client occupies one connection. */
  readonly #waiting = new Map<string, Change[]>();
  /** Changes that could not be made. They precede the next one of their client. */
  readonly #owed = new Map<string, readonly Change[]>();

  constructor(database: Database, clock = DATABASE_CLOCK) {
    this.#database = database;
    this.#clock = clock;
  }

  acquire(client: string, limits: Limits, request: LimitRequest): Promise<LimitDecision> {
    return this.#change(client, (counts) => counts.ask(limits, request));
  }

  renew(client: string, lease: string): Promise<void> {
    return this.#change(client, (counts) => counts.renew(lease));
  }

  release(client: string, lease: string | undefined, bytes: number): Promise<void> {
    return this.#change(client, (counts) => counts.leave(lease, bytes), true);
  }

  store(client: string, megabytes: number, stored: StoredBytes): Promise<LimitDecision> {
    return this.#change(client, (counts) => counts.store(megabytes, stored));
  }

  giveBack(client: string, stored: StoredBytes): Promise<void> {
    return this.#change(client, (counts) => counts.giveBack(stored), true);
  }

  removed(client: string, files: readonly RemovedFile[]): Promise<void> {
    return this.#change(client, (counts) => counts.removed(files), true);
  }

  async peek(client: string, limits: Limits): Promise<RemainingLimits> {
    const { state, now } = stateIn<SerializedCounts>(await this.#database.read(READ, client));
    return this.#countsOf(state, now).peek(limits);
  }

  /** Deletes clients whose counts have all expired. */
  async tidy(): Promise<void> {
    for (let last = ""; ; ) {
      const { now } = stateIn(await this.#database.read(READ, ""));
      const rows = await this.#database.read(READ_IDLE, last, this.#clock(now) - IDLE_MS);
      for (const { client, counts } of rows as { readonly client: string; readonly counts: string }[]) {
        last = client;
        const { isEmpty } = this.#countsOf(JSON.parse(counts) as SerializedCounts, now);
        if (isEmpty) await this.#database.run(REMOVE, client, counts);
      }
      if (rows.length === 0) return;
    }
  }

  #countsOf(state: SerializedCounts | undefined, now: number): ClientCounts {
    return new ClientCounts(state, { now: () => this.#clock(now) });
  }

  #change<T>(client: string, apply: (counts: ClientCounts) => T, isOwed = false): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const change: Change = { apply, isOwed, reject, resolve: (result) => resolve(result as T) };
    const waiting = this.#waiting.get(client);
    if (waiting) waiting.push(change);
    else {
      this.#waiting.set(client, [change]);
      void this.#applyAll(client);
    }
    return promise;
  }

  /** Applies the waiting changes of a client, in one transaction; then those that arrived meanwhile. */
  async #applyAll(client: string): Promise<void> {
    for (let changes = this.#waiting.get(client)!; changes.length > 0; changes = this.#waiting.get(client)!) {
      this.#waiting.set(client, []);
      changes = [...(this.#owed.get(client) ?? []), ...changes];
      this.#owed.delete(client);
      try {
        const results = await this.#apply(client, changes);
        for (const [index, { resolve }] of changes.entries()) resolve(results[index]);
      } catch (error) {
        if (error instanceof RecordsUnavailable && error.hadNoEffect) {
          const owed = changes.filter(({ isOwed }) => isOwed);
          if (owed.length > 0) this.#owed.set(client, owed);
        }
        // Those that arrived meanwhile would wait as long again.
        for (const { reject } of [...changes, ...this.#waiting.get(client)!.splice(0)]) reject(error);
      }
    }
    this.#waiting.delete(client);
  }

  /** A crash of the database server can lose the counts of the last second, as a power loss can in SQLite. */
  #apply(client: string, changes: readonly Change[]): Promise<unknown[]> {
    const work = async (run: RunStatement) => {
      const { state, now } = await readLocked<SerializedCounts>(run, COUNTS, client);
      const counts = this.#countsOf(state, now);
      const results = changes.map(({ apply }) => apply(counts));
      void run(WRITE, client, JSON.stringify(counts.kept), this.#clock(now));
      return results;
    };
    return this.#database.transaction(work, { isDurable: false });
  }
}

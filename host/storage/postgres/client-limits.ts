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
import { CLOCK, type Clock, DATABASE_CLOCK, type Database, type RunStatement } from "./database.ts";

/** Always one row. */
const columnsOf = (source: string) => `SELECT ${CLOCK} AS now, counts, coalesce(version, 0) AS version
  FROM (SELECT) AS one LEFT JOIN ${source} ON client = $1`;
const READ = columnsOf("pagewright.clients");
/** The clock is that after the wait for the lock, because the rows of `locked` are materialized before. */
const READ_LOCKED = `WITH locked AS MATERIALIZED (SELECT * FROM pagewright.clients WHERE client = $1 FOR UPDATE)
  ${columnsOf("locked")}`;
/** Time after which a decision is too old to be written, for example because the host was frozen. */
const STALE_MS = 1000;
/**
 * Writes counts and returns a row, unless another host has changed the version since it was read. A crash of the
 * database server can lose the counts of the last second, as a power loss can in SQLite.
 */
const WRITE = `INSERT INTO pagewright.clients AS kept (client, counts, changed)
  SELECT $1, $2, $3 FROM set_config('synchronous_commit', 'off', true) AS durability
    WHERE durability = 'off' AND ${CLOCK} < $4::bigint + ${STALE_MS}
  ON CONFLICT (client) DO UPDATE SET counts = excluded.counts, changed = excluded.changed, version = kept.version + 1
    WHERE kept.version = $5 RETURNING version`;
const READ_IDLE = `SELECT client, counts FROM pagewright.clients WHERE client > $1 AND changed < $2
  ORDER BY client LIMIT 200`;
/** Only if no host has changed it meanwhile. */
const REMOVE = "DELETE FROM pagewright.clients WHERE client = $1 AND counts = $2";
/** Time without a request after which a client's counts might all have expired. */
const IDLE_MS = 10 * 60_000;

/** A change that waits, with the promise of its result. */
interface ClientRow {
  readonly now: number;
  readonly counts: string | null;
  /** 0 if there is no row. */
  readonly version: number;
}

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
    return this.#countsIn(await this.#read(this.#database.read, READ, client)).peek(limits);
  }

  /** Deletes clients whose counts have all expired. */
  async tidy(): Promise<void> {
    for (let last = ""; ; ) {
      const { now } = await this.#read(this.#database.read, READ, "");
      const rows = await this.#database.read(READ_IDLE, last, this.#clock(now) - IDLE_MS);
      for (const { client, counts } of rows as { readonly client: string; readonly counts: string }[]) {
        last = client;
        const { isEmpty } = this.#countsIn({ counts, now });
        if (isEmpty) await this.#database.run(REMOVE, client, counts);
      }
      if (rows.length === 0) return;
    }
  }

  async #read(run: RunStatement, statement: string, client: string): Promise<ClientRow> {
    return (await run(statement, client))[0] as unknown as ClientRow;
  }

  #countsIn({ counts, now }: Pick<ClientRow, "counts" | "now">): ClientCounts {
    const serialized = counts === null ? undefined : (JSON.parse(counts) as SerializedCounts);
    return new ClientCounts(serialized, { now: () => this.#clock(now) });
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

  /** Two statements suffice, unless hosts change the counts at the same time: then one locks them. */
  async #apply(client: string, changes: readonly Change[]): Promise<unknown[]> {
    const attempt = async (read: RunStatement, write: RunStatement, reading: string) => {
      const row = await this.#read(read, reading, client);
      const counts = this.#countsIn(row);
      const results = changes.map(({ apply }) => apply(counts));
      const text = JSON.stringify(counts.kept);
      if (text === row.counts) return results;
      const written = await write(WRITE, client, text, this.#clock(row.now), row.now, row.version);
      return written.length > 0 ? results : undefined;
    };
    const { read, run } = this.#database;
    const results =
      (await attempt(read, run, READ)) ??
      (await this.#database.transaction((run) => attempt(run, run, READ_LOCKED), { isDurable: false }));
    if (results) return results;
    throw new RecordsUnavailable("the counts of a client change too often", { hadNoEffect: true });
  }
}

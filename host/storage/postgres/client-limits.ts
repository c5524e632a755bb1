// Counts the requests of clients with limits in PostgreSQL, for all hosts together.

import { ClientCounts, type SerializedCounts } from "../../../src/service/keys/client-counts.ts";
import { CountingLimiter } from "../../../src/service/keys/counting-limiter.ts";
import { RecordsUnavailable } from "../../../src/service/ports/records-unavailable.ts";
import { CLOCK, type Clock, DATABASE_CLOCK, type Database, type RunStatement } from "./database.ts";

/** Always one row. */
const columnsOf = (source: string) => `SELECT ${CLOCK} AS now, counts, version
  FROM (SELECT) AS one LEFT JOIN ${source} ON client = $1`;
const READ = columnsOf("pagewright.clients");
/** The clock is that after the wait for the lock, because the rows of `locked` are materialized before. */
const READ_LOCKED = `WITH locked AS MATERIALIZED (SELECT * FROM pagewright.clients WHERE client = $1 FOR UPDATE)
  ${columnsOf("locked")}`;
/** Largest difference of the time of a decision to that of its write; a frozen host, for example, decides again. */
const STALE_MS = 1000;
/** Maximum number of clients whose counts a host remembers. */
const MAX_KNOWN = 1000;
/**
 * Writes counts and returns a row, unless another host has changed the version since it was read. A crash of the
 * database server can lose the counts of the last second, as a power loss can in SQLite.
 */
const WRITE = `INSERT INTO pagewright.clients AS kept (client, counts, changed)
  SELECT $1, $2, $3 FROM set_config('synchronous_commit', 'off', true) AS durability
    WHERE durability = 'off' AND abs(${CLOCK} - $4::bigint) < ${STALE_MS}
  ON CONFLICT (client) DO UPDATE SET counts = excluded.counts, changed = excluded.changed, version = gen_random_uuid()
    WHERE kept.version = $5::uuid RETURNING version, ${CLOCK} AS now`;
const READ_IDLE = `SELECT client, counts FROM pagewright.clients WHERE client > $1 AND changed < $2
  ORDER BY client LIMIT 200`;
/** Only if no host has changed it meanwhile. */
const REMOVE = "DELETE FROM pagewright.clients WHERE client = $1 AND counts = $2";
/** Time without a request after which a client's counts might all have expired. */
const IDLE_MS = 10 * 60_000;

interface ClientRow {
  readonly now: number;
  readonly counts: string | null;
  /** Unique, so that no host takes counts that were lost in a crash for the present ones. Null if there is no row. */
  readonly version: string | null;
}

/** A change that waits, with the promise of its result. */
interface Change {
  apply(counts: ClientCounts): unknown;
  /** See {@link CountingLimiter.change}. */
  readonly isOwed: boolean;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export class PostgresLimiter extends CountingLimiter {
  readonly #database: Database;
  readonly #clock: Clock;
  /** Changes that wait for the transaction of their client, so that a client occupies one connection. */
  readonly #waiting = new Map<string, Change[]>();
  /** Changes that could not be made. They precede the next one of their client. */
  readonly #owed = new Map<string, readonly Change[]>();
  /** What this host wrote, oldest first, with the time of its own clock. Other hosts might have changed it since. */
  readonly #known = new Map<string, ClientRow & { readonly at: number }>();

  constructor(database: Database, clock = DATABASE_CLOCK) {
    super();
    this.#database = database;
    this.#clock = clock;
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

  protected override async countsOf(client: string): Promise<ClientCounts> {
    return this.#countsIn(await this.#read(this.#database.read, READ, client));
  }

  async #read(run: RunStatement, statement: string, client: string): Promise<ClientRow> {
    return (await run(statement, client))[0] as unknown as ClientRow;
  }

  #countsIn({ counts, now }: Pick<ClientRow, "counts" | "now">): ClientCounts {
    const serialized = counts === null ? undefined : (JSON.parse(counts) as SerializedCounts);
    return new ClientCounts(serialized, { now: () => this.#clock(now) });
  }

  protected override change<T>(client: string, apply: (counts: ClientCounts) => T, isOwed = false): Promise<T> {
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

  /**
   * One statement suffices while only this host changes the counts: it is written only if they and their time are those
   * in the database. Otherwise, they are read first; if hosts change them at the same time, they are locked.
   */
  async #apply(client: string, changes: readonly Change[]): Promise<unknown[]> {
    const { read, run } = this.#database;
    const known = this.#known.get(client);
    this.#known.delete(client);
    const results =
      (known && (await this.#attempt(run, client, changes, known, performance.now() - known.at))) ??
      (await this.#attempt(run, client, changes, await this.#read(read, READ, client))) ??
      (await this.#database.transaction(
        async (run) => this.#attempt(run, client, changes, await this.#read(run, READ_LOCKED, client)),
        { isDurable: false },
      ));
    if (results) return results;
    throw new RecordsUnavailable("the counts of a client change too often", { hadNoEffect: true });
  }

  /**
   * @param ageMs time since the counts were known. @default they have just been read
   * @returns undefined if the counts must be read again, and nothing was written
   */
  async #attempt(
    run: RunStatement,
    client: string,
    changes: readonly Change[],
    row: ClientRow,
    ageMs?: number,
  ): Promise<unknown[] | undefined> {
    const now = Math.floor(row.now + (ageMs ?? 0));
    const counts = this.#countsIn({ ...row, now });
    const results = changes.map(({ apply }) => apply(counts));
    const text = JSON.stringify(counts.kept);
    if (text === row.counts) return ageMs === undefined ? results : undefined;
    const [written] = await run(WRITE, client, text, this.#clock(now), now, row.version);
    if (!written) return undefined;
    this.#known.set(client, {
      counts: text,
      at: performance.now(),
      ...(written as unknown as Omit<ClientRow, "counts">),
    });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN) this.#known.delete(oldest!);
    return results;
  }
}

// Runs statements in PostgreSQL, over a bounded pool of connections. Each call ends within the limits of
// src/document/contract/limits.ts: it fails with RecordsUnavailable if the database does not answer.

import pg from "pg";
import { StorageFull } from "../../../src/document/contract/failure.ts";
import { LIMITS } from "../../../src/document/contract/limits.ts";
import { RecordsUnavailable } from "../../../src/service/ports/records-unavailable.ts";

type Value = string | number | boolean | null | readonly (string | number | null)[];
export type Row = Readonly<Record<string, unknown>>;
/**
 * Runs a statement with the parameters $1, $2, … Statements run in the order of their calls. A call need not wait for
 * the one before it: all that are sent together cost one round trip.
 * @throws RecordsUnavailable, StorageFull
 */
export type RunStatement = (statement: string, ...values: readonly Value[]) => Promise<Row[]>;

export interface TransactionOptions {
  /** False if a crash of the database server can lose the changes of its last second. @default true */
  readonly isDurable?: boolean;
}

/**
 * SQL of the time in milliseconds since 1970. All comparisons use the database's clock, because the clocks of hosts
 * differ. In a statement after one that locks, it is the time after the wait for the lock.
 */
export const CLOCK = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** Corrects the time of the database, for tests. Both times are in milliseconds since 1970. */
export type Clock = (databaseMs: number) => number;
export const DATABASE_CLOCK: Clock = (databaseMs) => databaseMs;

/** Type of `bigint`, which the driver would return as text. Our numbers are at most MAX_SAFE_INTEGER. */
const BIGINT = 20;
/** A transaction whose connection breaks within this time ran on an old connection, for example after a failover. */
const REPEAT_WITHIN_MS = 1000;
const DISK_FULL = "53100";

/**
 * Returns the driver's options for a connection. `sslmode` and other parameters of the URL have their meaning in libpq
 * (https://www.postgresql.org/docs/current/libpq-connect.html).
 */
export function connectionOptions(url: string): pg.ClientConfig {
  return {
    connectionString: `${url}${url.includes("?") ? "&" : "?"}uselibpqcompat=true`,
    fallback_application_name: "pagewright",
    connectionTimeoutMillis: LIMITS.databaseConnectMs,
    keepAlive: true,
    types: {
      getTypeParser: (type: number, format?: "text") =>
        type === BIGINT ? Number : pg.types.getTypeParser(type, format),
    } as pg.CustomTypesConfig,
  };
}

export class Database implements AsyncDisposable {
  readonly #pool: pg.Pool;

  /** @param connections maximum number of connections */
  constructor(url: string, connections: number) {
    this.#pool = new pg.Pool({
      ...connectionOptions(url),
      max: connections,
      pipeline: true,
      query_timeout: LIMITS.databaseAnswerMs,
      // The server gives up first, so that the connection can be used again.
      statement_timeout: LIMITS.databaseStatementMs,
      lock_timeout: LIMITS.databaseLockMs,
      idle_in_transaction_session_timeout: LIMITS.databaseAnswerMs,
    });
    // Without listeners, a broken connection would end the process. The pool replaces it.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }

  /** Runs one statement. It is not repeated if its result is lost. @throws RecordsUnavailable, StorageFull */
  run: RunStatement = (statement, ...values) => this.#connected((client) => rowsOf(client, statement, values));

  /** Runs one statement that changes nothing. @throws RecordsUnavailable */
  read: RunStatement = (statement, ...values) =>
    repeatedOnce(() => this.run(statement, ...values)).catch((error) => Promise.reject(withoutEffect(error)));

  /**
   * Runs a function in a transaction (READ COMMITTED). Commits when the function ends, also what it did not wait for.
   * @param work changes nothing but the database: it runs again if the connection breaks before the commit
   * @throws RecordsUnavailable, StorageFull, or the error of the function, after which nothing is committed
   */
  transaction<T>(work: (run: RunStatement) => Promise<T>, { isDurable = true }: TransactionOptions = {}): Promise<T> {
    const begin = isDurable ? "BEGIN" : "BEGIN; SET LOCAL synchronous_commit TO off";
    let isCommitting = false;
    const attempt = () =>
      this.#connected(async (client) => {
        const sent: Promise<Row[]>[] = [];
        const run: RunStatement = (statement, ...values) => {
          const rows = rowsOf(client, statement, values);
          rows.catch(() => {});
          sent.push(rows);
          return rows;
        };
        void run(begin);
        const result = await work(run).catch(async (error) => {
          // The first error is the cause of the others.
          await Promise.all(sent).catch((first) => Promise.reject(withoutEffect(first)));
          throw error;
        });
        isCommitting = true;
        void run("COMMIT");
        await Promise.all(sent);
        return result;
      });
    return repeatedOnce(attempt, () => !isCommitting);
  }

  /** Lends a connection. Closes it after an error, so that the server rolls back. */
  async #connected<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error) => {
      throw new RecordsUnavailable(`no connection to the database: ${messageOf(error)}`, {
        ...{ cause: error, hadNoEffect: true },
      });
    });
    try {
      const result = await use(client);
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}

/** The connection broke after a statement was sent. */
class ConnectionLost extends RecordsUnavailable {}

function withoutEffect(error: unknown): unknown {
  if (!(error instanceof RecordsUnavailable)) return error;
  const Kind = error instanceof ConnectionLost ? ConnectionLost : RecordsUnavailable;
  return new Kind(error.message, { cause: error.cause, hadNoEffect: true });
}

async function repeatedOnce<T>(attempt: () => Promise<T>, isRepeatable = () => true): Promise<T> {
  const started = performance.now();
  try {
    return await attempt();
  } catch (error) {
    const isOld = error instanceof ConnectionLost && performance.now() - started < REPEAT_WITHIN_MS;
    if (isOld && isRepeatable()) return await attempt();
    throw error;
  }
}

async function rowsOf(client: pg.PoolClient, statement: string, values: readonly Value[]): Promise<Row[]> {
  try {
    return (await client.query<Row>(statement, values as Value[])).rows;
  } catch (error) {
    throw recognized(error);
  }
}

/**
 * SQLSTATE classes of failures that are not the statement's: connection, rights of the user, resources, limits of time,
 * shutdown.
 */
const OF_DATABASE = /^(?:08|25006|25P0[34]|40|42501|53|55P03|57)/;
/** Also a host that was frozen within a transaction (25P03). */
const OF_CONNECTION = /^(?:08|25P0[34]|57P)/;

/** Returns the error of a statement as callers expect it. A defect of the statement itself remains as it is. */
function recognized(error: unknown): unknown {
  const code = error instanceof pg.DatabaseError ? (error.code ?? "") : "08";
  if (code === DISK_FULL) return new StorageFull("the disk of the database is full", { cause: error });
  const message = `the database does not answer: ${messageOf(error)}`;
  if (OF_CONNECTION.test(code)) return new ConnectionLost(message, { cause: error });
  return OF_DATABASE.test(code) ? new RecordsUnavailable(message, { cause: error }) : error;
}

/** The message of a failed connection to several addresses is in its parts. */
export const messageOf = (error: unknown) =>
  error instanceof AggregateError ? String(error.errors[0]?.message) : (error as Error).message;

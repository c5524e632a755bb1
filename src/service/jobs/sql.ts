// The statements of the job store, which run in SQLite (in a Durable Object, or on the host) and in PostgreSQL.

type SqlValue = string | number | null;
export type Row = Readonly<Record<string, unknown>>;
/** What one transaction holds at a time. `host`: the places of a host. In SQLite, all transactions are exclusive. */
type Lock = "jobs" | "deliveries" | "host";

/**
 * A statement, whose parameters are `?`, or `?1`, `?2`, …; the wait for a lock, which the transaction holds until its
 * end; or a question about the time. A query can end with `FOR UPDATE` and `SKIP LOCKED`, as in PostgreSQL.
 */
export type Step =
  | { readonly statement: string; readonly values: readonly SqlValue[]; readonly isQuery: boolean }
  | { readonly lock: Lock }
  | "clock";

/**
 * A transaction, as a generator of its steps that receives the rows of each. So the same rules run synchronously in
 * SQLite, and asynchronously in PostgreSQL, which need not wait for the result of a change.
 */
export type Steps<T> = Generator<Step, T, readonly Row[]>;

export function* query<R = Row>(statement: string, ...values: readonly SqlValue[]): Steps<readonly R[]> {
  return (yield { statement, values, isQuery: true }) as readonly R[];
}

export function* change(statement: string, ...values: readonly SqlValue[]): Steps<void> {
  yield { statement, values, isQuery: false };
}

export function* locked(lock: Lock): Steps<void> {
  yield { lock };
}

/** @returns the time in milliseconds since 1970 */
export function* now(): Steps<number> {
  const [row] = yield "clock";
  return Number(row!.now);
}

// Reads and changes the state of one name, which is JSON in a row, while no other host does.

import { CLOCK, type RunStatement } from "./database.ts";

/** Corrects the time of the database, for tests. Both times are in milliseconds since 1970. */
export type Clock = (databaseMs: number) => number;
export const DATABASE_CLOCK: Clock = (databaseMs) => databaseMs;

/** A column with states, by their names in another column. */
export interface StateColumn {
  readonly table: string;
  readonly name: string;
  readonly state: string;
}

export interface LockedState<S> {
  /** Undefined if there is no row. */
  readonly state: S | undefined;
  /** Time in milliseconds since 1970, which never goes back from one holder of the lock to the next. */
  readonly now: number;
}

/**
 * The lock is not that of the row, because the row might not exist yet. It ends with the transaction. The first
 * parameter is also the name of the lock, so that the same name in two tables has two locks.
 */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended($1 || $2, 0))";

/** Returns the statement that reads a state with the time. The name is $1. */
export const readingOf = ({ table, name, state }: StateColumn) =>
  `SELECT ${CLOCK} AS now, (SELECT ${state} FROM pagewright.${table} WHERE ${name} = $1) AS state`;

/** Locks a name until the end of the transaction, and reads its state, in one round trip. */
export async function readLocked<S>(run: RunStatement, column: StateColumn, name: string): Promise<LockedState<S>> {
  void run(LOCK, `${column.table} `, name);
  return stateIn(await run(readingOf(column), name));
}

/** Returns the state of a row of {@link readingOf}. */
export function stateIn<S>([row]: readonly Readonly<Record<string, unknown>>[]): LockedState<S> {
  const { now, state } = row as { readonly now: number; readonly state: string | null };
  return { now, state: state === null ? undefined : (JSON.parse(state) as S) };
}

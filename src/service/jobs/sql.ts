// The SQLite of a Durable Object or of the host, below the store of jobs.

type SqlValue = string | number | null;
type Row = Readonly<Record<string, unknown>>;
/** Runs a statement. @returns its rows */
export type Sql = (statement: string, ...values: readonly SqlValue[]) => readonly Row[];

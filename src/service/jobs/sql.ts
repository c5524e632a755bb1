// Interface to SQLite, in a Durable Object or on the host, for the job store.

type SqlValue = string | number | null;
type Row = Readonly<Record<string, unknown>>;
/** Runs a statement. @returns its rows */
export type Sql = (statement: string, ...values: readonly SqlValue[]) => readonly Row[];

// Declares the database of the queue.

type SqlValue = string | number | null;
type Row = Readonly<Record<string, unknown>>;
/** Carries out a statement. @returns its rows */
export type Sql = (statement: string, ...values: readonly SqlValue[]) => readonly Row[];

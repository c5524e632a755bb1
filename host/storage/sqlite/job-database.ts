// Stores asynchronous jobs in a SQLite database, jobs.db in the data folder.

import { type JobStoreOptions, openSqliteJobStore } from "../../../src/service/jobs/sql-job-store.ts";
import type { JobStore } from "../../../src/service/ports/job-store.ts";
import { SqliteFile } from "./sqlite-file.ts";

export type JobDatabase = JobStore & Disposable;

/** @throws Error with a message for the operator if the database cannot be opened */
export function openJobDatabase(folder: string, options: JobStoreOptions): Promise<JobDatabase> {
  return SqliteFile.open(folder, { name: "jobs", subject: "job", synchronous: "FULL" }, (file) => ({
    ...openSqliteJobStore({
      ...options,
      sql: (statement, ...values) => file.all(statement, ...values),
      transaction: (work) => file.transaction(work),
    }),
    [Symbol.dispose]: () => file[Symbol.dispose](),
  }));
}

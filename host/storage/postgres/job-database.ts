// Stores asynchronous jobs in PostgreSQL, for any number of hosts. src/service/jobs/ has the rules. A transaction sends
// changes without waiting for their results, so it takes as many round trips as it has queries.

import { randomUUID } from "node:crypto";
import type { Row, Step } from "../../../src/service/jobs/sql.ts";
import { createJobStore, type JobStoreOptions, type RunSteps } from "../../../src/service/jobs/sql-job-store.ts";
import type { JobStore } from "../../../src/service/ports/job-store.ts";
import { CLOCK, type Database, type RunStatement } from "./database.ts";
import { JOBS_CHANNEL } from "./job-signals.ts";

const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
/** Wakes other hosts, in vain if no job waits any more. */
const SIGNAL = `SELECT pg_notify('${JOBS_CHANNEL}', '')
  WHERE EXISTS (SELECT FROM pagewright.jobs WHERE state = 'waiting')`;

export interface PostgresJobOptions extends JobStoreOptions {
  /** Returns SQL of the time in milliseconds since 1970. @default the database's clock */
  readonly clock?: () => string;
}

export function openPostgresJobs(database: Database, options: PostgresJobOptions): JobStore {
  const { clock = () => CLOCK } = options;
  // A restarted host is another one: the leases of the previous process end by themselves.
  const host = randomUUID();
  const run: RunSteps = (steps, how) =>
    database.transaction(async (send) => {
      const time = send(`SELECT ${clock()} AS now`);
      const transaction = steps();
      let step = transaction.next([]);
      while (!step.done) step = transaction.next(await rowsOf(step.value, { send, time, host }));
      return step.value;
    }, how);
  const { store } = createJobStore(run, { ...options, host });
  // A host that has accepted a job which it cannot run now passes it on.
  let hasNew = false;
  const adding =
    <A extends readonly unknown[], T>(add: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const result = await add(...args);
      hasNew = true;
      return result;
    };
  return {
    ...store,
    enqueue: adding(store.enqueue),
    postpone: adding(store.postpone),
    markLost: adding(store.markLost),
    async dequeue() {
      const job = await store.dequeue();
      if (job || !hasNew) return job;
      hasNew = false;
      await database.run(SIGNAL);
      return undefined;
    },
  };
}

interface Sent {
  readonly send: RunStatement;
  readonly time: Promise<readonly Row[]>;
  readonly host: string;
}

/** Returns the rows of a step; none of a change, which ends with the transaction at the latest. */
async function rowsOf(step: Step, { send, time, host }: Sent): Promise<readonly Row[]> {
  if (step === "clock") return time;
  if ("lock" in step) {
    void send(LOCK, `pagewright ${step.lock === "host" ? host : step.lock}`);
    return [];
  }
  const rows = send(translated(step.statement), ...step.values.map(withoutNul));
  return step.isQuery ? rows : [];
}

const known = new Map<string, string>();

/** Returns a statement with the parameters and the table names of PostgreSQL. */
function translated(statement: string): string {
  let text = known.get(statement);
  if (text === undefined) {
    let count = 0;
    text = statement
      .replace(/\?(\d*)/g, (_, number) => `$${number || ++count}`)
      .replace(/\b(FROM|INTO|UPDATE) (?=[a-z])/g, "$1 pagewright.");
    known.set(statement, text);
  }
  return text;
}

/** PostgreSQL stores no NUL in a text. */
const withoutNul = <T>(value: T) => (typeof value === "string" ? value.replaceAll("\0", "\ufffd") : value);

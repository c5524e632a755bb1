// Creates the tables, and changes them in later releases. Hosts of the previous release may still run: a migration only
// adds. If a later one must do more, `needs` keeps out hosts that do not know it.

import pg from "pg";
import { delay } from "../../../src/runtime/delay.ts";
import { RecordsUnavailable } from "../../../src/service/ports/records-unavailable.ts";
import { connectionOptions, messageOf } from "./database.ts";

interface Migration {
  readonly statements: string;
  /** Number of the last migration that a host must know to use the database after this one. @default 1 */
  readonly needs?: number;
}

/** Numbered from 1. A migration never changes after its release; new ones are added at the end. */
const MIGRATIONS: readonly Migration[] = [
  {
    statements: `
      CREATE TABLE pagewright.keys (hash text PRIMARY KEY, owner text NOT NULL, created text NOT NULL, revoked text,
        settings text NOT NULL);
      CREATE TABLE pagewright.clients (client text COLLATE "C" PRIMARY KEY, counts text NOT NULL,
        changed bigint NOT NULL DEFAULT 0, version uuid NOT NULL DEFAULT gen_random_uuid()) WITH (fillfactor = 50);
      CREATE TABLE pagewright.usage (key text COLLATE "C", day text COLLATE "C", operation text COLLATE "C",
        requests bigint NOT NULL, errors bigint NOT NULL, bytes_in bigint NOT NULL, bytes_out bigint NOT NULL,
        PRIMARY KEY (key, day, operation)) WITH (fillfactor = 50);
      CREATE TABLE pagewright.usage_batches (id uuid PRIMARY KEY, added timestamptz NOT NULL DEFAULT now());
      CREATE TABLE pagewright.claims (name text PRIMARY KEY, state text NOT NULL, file text, ends bigint NOT NULL);
      CREATE INDEX claims_by_end ON pagewright.claims (ends)`,
  },
  {
    statements: `
      CREATE TABLE pagewright.jobs (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text COLLATE "C" NOT NULL UNIQUE, state text COLLATE "C" NOT NULL, path text NOT NULL,
        base_url text NOT NULL, client text COLLATE "C" NOT NULL, turn bigint NOT NULL, inputs text NOT NULL,
        transient integer NOT NULL, attempt integer NOT NULL DEFAULT 0,
        losses integer NOT NULL DEFAULT 0, postponements integer NOT NULL DEFAULT 0,
        not_before bigint NOT NULL DEFAULT 0, lease_ends bigint, seed text, reserved integer NOT NULL DEFAULT 0,
        pages_done integer, pages_total integer, error text, error_status integer, ends bigint,
        host text NOT NULL DEFAULT '') WITH (fillfactor = 70);
      CREATE INDEX jobs_by_turn ON pagewright.jobs (state, turn, number);
      CREATE INDEX jobs_by_client ON pagewright.jobs (state, client, turn);
      CREATE INDEX jobs_by_end ON pagewright.jobs (ends);
      CREATE INDEX jobs_by_lease ON pagewright.jobs (lease_ends) WHERE lease_ends IS NOT NULL;
      CREATE TABLE pagewright.texts (job text COLLATE "C", piece integer, text text NOT NULL, PRIMARY KEY (job, piece));
      CREATE TABLE pagewright.tokens (job text COLLATE "C" PRIMARY KEY, token text NOT NULL);
      CREATE TABLE pagewright.steps (job text COLLATE "C" PRIMARY KEY, done integer NOT NULL, total integer NOT NULL);
      CREATE TABLE pagewright.removals (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ids text NOT NULL,
        seed text, reserved integer NOT NULL, not_before bigint NOT NULL DEFAULT 0);
      CREATE TABLE pagewright.deliveries (job text COLLATE "C" PRIMARY KEY, url text NOT NULL, receiver text NOT NULL,
        signer text NOT NULL, client text NOT NULL, ended bigint, tries integer NOT NULL DEFAULT 0, not_before bigint,
        lease_ends bigint);
      CREATE INDEX deliveries_by_time ON pagewright.deliveries (not_before);
      CREATE INDEX deliveries_by_lease ON pagewright.deliveries (lease_ends) WHERE lease_ends IS NOT NULL`,
  },
  {
    statements: `
      CREATE TABLE pagewright.stores (id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1), store text NOT NULL,
        seen timestamptz NOT NULL DEFAULT now());
      ALTER TABLE pagewright.deliveries ADD COLUMN host text NOT NULL DEFAULT ''`,
  },
];

const PREPARE = `CREATE SCHEMA IF NOT EXISTS pagewright;
  CREATE TABLE pagewright.migrations (number integer PRIMARY KEY, needs integer NOT NULL,
    applied timestamptz NOT NULL DEFAULT now())`;
/** Number of the lock that one host holds while it migrates: the bytes of "pagewrig". */
const LOCK = "SELECT pg_advisory_xact_lock(x'7061676577726967'::bigint)";
const STATE = "SELECT coalesce(max(number), 0) AS latest, coalesce(max(needs), 0) AS needs FROM pagewright.migrations";
const RECORD = "INSERT INTO pagewright.migrations (number, needs) VALUES ($1, $2)";
const OLDEST_VERSION = 140_000;
/** Time for which a host waits at its start for a database that starts, too. */
const START_WITHIN_MS = 30_000;
const AGAIN_AFTER_MS = 500;
/** Time for which a host waits while another one migrates. */
const LOCK_TIMEOUT = "SET LOCAL lock_timeout = '60s'";

/**
 * Brings the tables of a database up to date, in one transaction. Waits for a database that starts.
 * @throws Error with a message for the operator, without the URL's password
 */
export async function migrate(url: string): Promise<void> {
  const started = performance.now();
  for (;;) {
    try {
      return await migrateOnce(url);
    } catch (error) {
      const isOver = performance.now() - started > START_WITHIN_MS;
      if (isOver || !(error instanceof RecordsUnavailable))
        throw new Error(`DATABASE_URL: ${(error as Error).message}.`);
      await delay(AGAIN_AFTER_MS);
    }
  }
}

async function migrateOnce(url: string): Promise<void> {
  const client = new pg.Client(connectionOptions(url));
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (error) {
    // Class 28 and 3D: the database answers, but rejects the user or has another name.
    if (error instanceof pg.DatabaseError && /^(?:28|3D)/.test(error.code ?? "")) throw error;
    throw new RecordsUnavailable(messageOf(error), { cause: error });
  }
  try {
    await client.query(`BEGIN; ${LOCK_TIMEOUT}; ${LOCK}`);
    const [version] = (await client.query("SELECT current_setting('server_version_num')::int AS number")).rows;
    if (version.number < OLDEST_VERSION) throw new Error("PostgreSQL 14 or later is needed");
    // Later, the user need not have the right to create schemas.
    const [{ table }] = (await client.query("SELECT to_regclass('pagewright.migrations') AS table")).rows;
    if (table === null) await client.query(PREPARE);
    const [state] = (await client.query(STATE)).rows;
    if (state.needs > MIGRATIONS.length) throw new Error("a later release has changed the database: update this host");
    for (const [index, { statements, needs = 1 }] of [...MIGRATIONS.entries()].slice(state.latest)) {
      await client.query(statements);
      await client.query(RECORD, [index + 1, needs]);
    }
    await client.query("COMMIT");
  } finally {
    await client.end().catch(() => {});
  }
}

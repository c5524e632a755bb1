// The tables of the job store in SQLite. host/storage/postgres/migrations.ts has those in PostgreSQL.

export const TABLES: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS jobs (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, state TEXT NOT NULL, path TEXT NOT NULL,
    base_url TEXT NOT NULL, client TEXT NOT NULL, turn INTEGER NOT NULL, inputs TEXT NOT NULL,
    transient INTEGER NOT NULL, attempt INTEGER NOT NULL DEFAULT 0, losses INTEGER NOT NULL DEFAULT 0,
    postponements INTEGER NOT NULL DEFAULT 0, not_before INTEGER NOT NULL DEFAULT 0, lease_ends INTEGER, seed TEXT,
    reserved INTEGER NOT NULL DEFAULT 0, pages_done INTEGER, pages_total INTEGER, error TEXT, error_status INTEGER,
    ends INTEGER)`,
  "CREATE INDEX IF NOT EXISTS jobs_by_turn ON jobs (state, turn, number)",
  "CREATE INDEX IF NOT EXISTS jobs_by_client ON jobs (state, client, turn)",
  "CREATE INDEX IF NOT EXISTS jobs_by_end ON jobs (ends)",
  `CREATE TABLE IF NOT EXISTS texts (job TEXT NOT NULL, piece INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (job, piece))`,
  "CREATE TABLE IF NOT EXISTS tokens (job TEXT PRIMARY KEY, token TEXT NOT NULL)",
  "CREATE TABLE IF NOT EXISTS steps (job TEXT PRIMARY KEY, done INTEGER NOT NULL, total INTEGER NOT NULL)",
  `CREATE TABLE IF NOT EXISTS removals (number INTEGER PRIMARY KEY, ids TEXT NOT NULL, seed TEXT,
    reserved INTEGER NOT NULL, not_before INTEGER NOT NULL DEFAULT 0)`,
  `CREATE TABLE IF NOT EXISTS deliveries (
    job TEXT PRIMARY KEY, url TEXT NOT NULL, receiver TEXT NOT NULL, signer TEXT NOT NULL, client TEXT NOT NULL,
    ended INTEGER, tries INTEGER NOT NULL DEFAULT 0, not_before INTEGER, lease_ends INTEGER)`,
  "CREATE INDEX IF NOT EXISTS deliveries_by_time ON deliveries (not_before)",
  "CREATE INDEX IF NOT EXISTS deliveries_by_lease ON deliveries (lease_ends) WHERE lease_ends IS NOT NULL",
];

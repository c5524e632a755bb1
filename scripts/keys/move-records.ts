// Moves keys, their usage and the counts of limits from SQLite to PostgreSQL, or back.

import { Database } from "../../host/storage/postgres/database.ts";
import { migrate } from "../../host/storage/postgres/migrations.ts";
import { KeyDatabase } from "../../host/storage/sqlite/key-database.ts";
import { SqliteFile } from "../../host/storage/sqlite/sqlite-file.ts";
import { UsageDatabase } from "../../host/storage/sqlite/usage-database.ts";

/** Rows that are written with one statement. */
const ROWS = 2000;

/** A table that both databases have. The first `identity` columns identify a row. */
interface Table {
  readonly name: "keys" | "usage" | "usage_tokens" | "clients";
  readonly columns: readonly (readonly [name: string, type: "text" | "bigint"])[];
  readonly identity: number;
}

const text = (name: string) => [name, "text"] as const;
const count = (name: string) => [name, "bigint"] as const;

const TABLES: readonly Table[] = [
  { name: "keys", identity: 1, columns: ["hash", "owner", "created", "revoked", "settings"].map(text) },
  {
    name: "usage",
    identity: 3,
    columns: [...["key", "day", "operation"].map(text), ...["requests", "errors", "bytes_in", "bytes_out"].map(count)],
  },
  { name: "usage_tokens", identity: 3, columns: [...["key", "day", "operation"].map(text), count("tokens")] },
  { name: "clients", identity: 1, columns: ["client", "counts"].map(text) },
];

type Value = string | number | null;
type Rows = readonly (readonly Value[])[];
interface Store extends AsyncDisposable {
  read(table: Table): Promise<Rows>;
  /** Writes the rows of all tables or none. Replaces rows with the same identity. */
  write(contents: readonly (readonly [Table, Rows])[]): Promise<void>;
  clear(): Promise<void>;
}

export interface Places {
  readonly data: string;
  readonly database: string;
  readonly to: "postgres" | "sqlite";
}

/**
 * Copies all rows, then deletes them at their former place: if it fails, nothing is lost, and it can be repeated. No
 * host may run meanwhile.
 * @returns the number of moved rows by table
 */
export async function moveRecords({ data, database, to }: Places): Promise<Record<Table["name"], number>> {
  await using sqlite = await openSqlite(data);
  await using postgres = await openPostgres(database);
  const [from, target] = to === "postgres" ? [sqlite, postgres] : [postgres, sqlite];
  const contents: (readonly [Table, Rows])[] = [];
  for (const table of TABLES) contents.push([table, await from.read(table)]);
  await target.write(contents);
  await from.clear();
  return Object.fromEntries(contents.map(([{ name }, rows]) => [name, rows.length])) as Record<Table["name"], number>;
}

const namesOf = ({ columns }: Table) => columns.map(([name]) => name).join(", ");

async function openSqlite(folder: string): Promise<Store> {
  // Creates the tables, if necessary.
  for (const created of [await KeyDatabase.open(folder), await UsageDatabase.open(folder)]) created[Symbol.dispose]();
  const fileOf = (name: string, subject: string) =>
    SqliteFile.open(folder, { name, subject, synchronous: "FULL" }, (file) => file);
  const [keys, usage] = [await fileOf("keys", "key"), await fileOf("usage", "usage")];
  const holderOf = ({ name }: Table) => (name === "keys" ? keys : usage);
  const inBoth = (work: () => void) => keys.transaction(() => usage.transaction(work));
  return {
    async read(table) {
      const rows = holderOf(table).all(`SELECT ${namesOf(table)} FROM ${table.name}`);
      return rows.map((row) => Object.values(row) as Value[]);
    },
    async write(contents) {
      inBoth(() => {
        for (const [table, rows] of contents) {
          const parameters = table.columns.map(() => "?").join(", ");
          const insert = `INSERT OR REPLACE INTO ${table.name} (${namesOf(table)}) VALUES (${parameters})`;
          for (const row of rows) holderOf(table).all(insert, ...row);
        }
      });
    },
    async clear() {
      inBoth(() => {
        for (const table of TABLES) holderOf(table).all(`DELETE FROM ${table.name}`);
      });
    },
    async [Symbol.asyncDispose]() {
      for (const file of [keys, usage]) file[Symbol.dispose]();
    },
  };
}

async function openPostgres(url: string): Promise<Store> {
  await migrate(url);
  const database = new Database(url, 1);
  return {
    async read(table) {
      const rows = await database.read(`SELECT ${namesOf(table)} FROM pagewright.${table.name}`);
      return rows.map((row) => Object.values(row) as Value[]);
    },
    write: (contents) =>
      database.transaction(async (run) => {
        for (const [table, rows] of contents) {
          for (let start = 0; start < rows.length; start += ROWS) {
            const part = rows.slice(start, start + ROWS);
            await run(insertInto(table), ...table.columns.map((_, column) => part.map((row) => row[column]!)));
          }
        }
      }),
    async clear() {
      await database.run(`TRUNCATE ${TABLES.map(({ name }) => `pagewright.${name}`).join(", ")}`);
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** Returns the statement that inserts rows, which are a parameter for each column. */
function insertInto(table: Table): string {
  const lists = table.columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(", ");
  const names = table.columns.map(([name]) => name);
  const changes = names.slice(table.identity).map((name) => `${name} = excluded.${name}`);
  return `INSERT INTO pagewright.${table.name} (${names.join(", ")}) SELECT * FROM unnest(${lists})
    ON CONFLICT (${names.slice(0, table.identity).join(", ")}) DO UPDATE SET ${changes.join(", ")}`;
}

// Stores API keys in a SQLite database, keys.db in the data folder. Several processes can use the database
// concurrently: the service reads keys, and `npm run keys` writes them.

import type { KeyRecord, KeyRecords } from "../../../src/service/ports/api-key.ts";
import { SqliteFile } from "./sqlite-file.ts";

/** Name of the database in the data folder. */
const NAME = "keys";
export const KEY_FILE = `${NAME}.db`;

export interface KeyEntry extends KeyRecord {
  readonly hash: string;
}

const TABLES = `
  CREATE TABLE IF NOT EXISTS keys (hash TEXT PRIMARY KEY, owner TEXT NOT NULL, created TEXT NOT NULL, revoked TEXT)
    STRICT, WITHOUT ROWID`;
/** Limits and other optional properties of a key, as JSON. Databases of earlier versions lack this column. */
const ADD_COLUMN = "ALTER TABLE keys ADD COLUMN settings TEXT NOT NULL DEFAULT '{}'";

/** A row of the table. */
export type KeyRow = Pick<KeyEntry, "hash" | "owner" | "created" | "revoked"> & { readonly settings: string };

export const recordOf = <R extends Omit<KeyRow, "hash">>({ settings, ...row }: R) => ({
  ...row,
  ...(JSON.parse(settings) as Omit<KeyRecord, keyof KeyRow>),
});

const COLUMNS = "hash, owner, created, revoked, settings";
const GET = "SELECT owner, created, revoked, settings FROM keys WHERE hash = ?";
const PUT = `INSERT OR REPLACE INTO keys (${COLUMNS}) VALUES (?, ?, ?, ?, ?)`;
const LIST = `SELECT ${COLUMNS} FROM keys`;

export class KeyDatabase implements KeyRecords, Disposable {
  readonly #file: SqliteFile;

  private constructor(file: SqliteFile) {
    this.#file = file;
    file.exec(TABLES);
    this.#addColumn();
  }

  /**
   * Opens the database in a folder. Creates the folder and the database if necessary.
   * @throws Error with a message for the operator if that fails
   */
  static open(folder: string): Promise<KeyDatabase> {
    const options = { name: NAME, subject: "key", synchronous: "FULL" } as const;
    return SqliteFile.open(folder, options, (file) => new KeyDatabase(file));
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }

  async get(hash: string, _type: "json"): Promise<KeyRecord | null> {
    const [row] = this.#file.all(GET, hash) as unknown as Omit<KeyRow, "hash">[];
    return row ? recordOf(row) : null;
  }

  /** Writes all records or none, replacing those with the same hash. */
  async put(entries: readonly KeyEntry[]): Promise<void> {
    this.#file.transaction(() => {
      for (const { hash, owner, created, revoked, ...settings } of entries) {
        this.#file.all(PUT, hash, owner, created, revoked, JSON.stringify(settings));
      }
    });
  }

  async list(): Promise<KeyEntry[]> {
    return (this.#file.all(LIST) as unknown as KeyRow[]).map(recordOf);
  }

  #addColumn(): void {
    // In a transaction, because another process might add the column concurrently.
    this.#file.transaction(() => {
      const columns = this.#file.all("SELECT name FROM pragma_table_info('keys')");
      if (!columns.some(({ name }) => name === "settings")) this.#file.exec(ADD_COLUMN);
    });
  }
}

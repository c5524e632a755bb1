// Keeps API keys in a SQLite database, keys.db in the data folder. Several processes of one machine can use it at the
// same time: the service reads, `npm run keys` writes.

import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { KeyRecord, KeyRecords } from "../../src/core/api-key.ts";

export interface KeyEntry extends KeyRecord {
  readonly hash: string;
}

const TABLES = `
  PRAGMA busy_timeout = 5000;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS keys (hash TEXT PRIMARY KEY, owner TEXT NOT NULL, created TEXT NOT NULL, revoked TEXT)
    STRICT, WITHOUT ROWID`;

export class KeyDatabase implements KeyRecords, Disposable {
  readonly #database: DatabaseSync;
  readonly #get: StatementSync;
  readonly #put: StatementSync;
  readonly #list: StatementSync;

  private constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(TABLES);
    this.#get = this.#database.prepare("SELECT owner, created, revoked FROM keys WHERE hash = ?");
    this.#put = this.#database.prepare(
      "INSERT OR REPLACE INTO keys (hash, owner, created, revoked) VALUES (?, ?, ?, ?)",
    );
    this.#list = this.#database.prepare("SELECT hash, owner, created, revoked FROM keys");
  }

  /**
   * Opens the database in a folder. Both are created if necessary.
   * @throws Error with a sentence for the operator if that is not possible
   */
  static async open(folder: string): Promise<KeyDatabase> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, "keys.db");
    try {
      // SQLite gives the files beside the database the same permissions.
      await (await open(path, "a", 0o600)).close();
      return new KeyDatabase(path);
    } catch (error) {
      throw new Error(`The key database in ${folder} cannot be opened: ${(error as Error).message}.`, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  async get(hash: string, _type: "json"): Promise<KeyRecord | null> {
    return (this.#get.get(hash) as KeyRecord | undefined) ?? null;
  }

  /** Writes records, replacing those with the same hash. */
  put(entries: readonly KeyEntry[]): void {
    for (const { hash, owner, created, revoked } of entries) this.#put.run(hash, owner, created, revoked);
  }

  list(): KeyEntry[] {
    return this.#list.all() as unknown as KeyEntry[];
  }
}

// Opens SQLite databases in the data folder, and runs statements. Several processes of the same machine can use a
// database concurrently.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { StorageFull } from "../../../src/document/contract/failure.ts";
import { createPrivately } from "../folder/durable.ts";

/** SQLite's code for a full disk. */
const SQLITE_FULL = 13;

export interface SqliteFileOptions {
  /** Name of the database, without extension. */
  readonly name: string;
  /** Word for the content of the database, used in messages to the operator. */
  readonly subject: string;
  /** `FULL`: committed changes survive a power loss. `NORMAL`: the last changes can be lost. */
  readonly synchronous: "FULL" | "NORMAL";
}

export class SqliteFile implements Disposable {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(path: string, synchronous: SqliteFileOptions["synchronous"]) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(`PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
  }

  /**
   * Opens a database in a folder. Creates the folder and the database if necessary.
   * @param use creates the object that uses the database
   * @throws Error with a message for the operator if that fails
   */
  static async open<T>(
    folder: string,
    { name, subject, synchronous }: SqliteFileOptions,
    use: (file: SqliteFile) => T,
  ): Promise<T> {
    const path = join(folder, `${name}.db`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Only the owner can access the database. SQLite creates its auxiliary files with the same permissions.
      await createPrivately(path);
      return use(new SqliteFile(path, synchronous));
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`The ${subject} database in ${folder} cannot be opened: ${message}.`, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  /** Runs statements without parameters. */
  exec(statements: string): void {
    this.#database.exec(statements);
  }

  /**
   * Runs a statement. Prepares each statement once.
   * @returns its rows
   * @throws StorageFull if the disk is full
   */
  all(statement: string, ...values: readonly SQLInputValue[]): Record<string, unknown>[] {
    let prepared = this.#statements.get(statement);
    if (!prepared) {
      prepared = this.#database.prepare(statement);
      this.#statements.set(statement, prepared);
    }
    try {
      return prepared.all(...values);
    } catch (error) {
      throw recognized(error);
    }
  }

  /**
   * Runs a function in an exclusive transaction. Acquires the write lock before the function reads.
   * @throws StorageFull if the disk is full
   */
  transaction<T>(work: () => T): T {
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      // If the disk is full, SQLite has already rolled back the transaction.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw recognized(error);
    }
  }
}

/** Returns StorageFull if the disk is full; otherwise the same error. */
function recognized(error: unknown): unknown {
  if ((error as { readonly errcode?: number }).errcode !== SQLITE_FULL) return error;
  return new StorageFull("the disk is full", { cause: error });
}

// Stores the claims on idempotency keys in a SQLite database, claims.db in the data folder.

import {
  type ClaimState,
  ClaimStateMachine,
  type ClaimStorage,
  replayFileOf,
} from "../../../src/service/jobs/claim-state.ts";
import type { Claim, Claims } from "../../../src/service/ports/claims.ts";
import { SqliteFile } from "./sqlite-file.ts";

const TABLES = `
  CREATE TABLE IF NOT EXISTS claims (name TEXT PRIMARY KEY, state TEXT NOT NULL, ends INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS claims_by_end ON claims (ends)`;
const GET = "SELECT state FROM claims WHERE name = ?";
const PUT = "INSERT OR REPLACE INTO claims (name, state, ends) VALUES (?, ?, ?)";
const REMOVE = "DELETE FROM claims WHERE name = ?";
const ENDED = "SELECT name, state FROM claims WHERE ends <= ? LIMIT 1000";

export class ClaimDatabase implements Claims, Disposable {
  readonly #file: SqliteFile;
  readonly #now: () => number;

  private constructor(file: SqliteFile, now: () => number) {
    this.#file = file;
    this.#now = now;
    file.exec(TABLES);
  }

  /**
   * Opens the database in a folder. Creates the folder and the database if necessary.
   * @throws Error with a message for the operator if that fails
   */
  static open(folder: string, now: () => number = Date.now): Promise<ClaimDatabase> {
    const options = { name: "claims", subject: "claim", synchronous: "FULL" } as const;
    return SqliteFile.open(folder, options, (file) => new ClaimDatabase(file, now));
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }

  getByName(name: string): Claim {
    const claim = new ClaimStateMachine(this.#storageOf(name), this.#now);
    const decide = async <T>(decision: () => T): Promise<T> => this.#file.transaction(decision);
    return {
      acquire: (holder, fingerprint) => decide(() => claim.acquire(holder, fingerprint)),
      complete: (holder, fingerprint, response) => decide(() => claim.complete(holder, fingerprint, response)),
      release: (holder) => decide(() => claim.release(holder)),
      invalidate: (fileId) => decide(() => claim.invalidate(fileId)),
    };
  }

  /**
   * Deletes expired claims.
   * @param removeFiles deletes the files that exist only for the replays of expired claims
   */
  async sweep(removeFiles: (ids: readonly string[]) => Promise<void>): Promise<void> {
    for (;;) {
      const ended = this.#file.all(ENDED, this.#now()) as unknown as {
        readonly name: string;
        readonly state: string;
      }[];
      if (ended.length === 0) return;
      const files = ended.map(({ state }) => replayFileOf(JSON.parse(state) as ClaimState));
      await removeFiles(files.filter((id) => id !== undefined));
      for (const { name } of ended) this.#file.all(REMOVE, name);
    }
  }

  #storageOf(name: string): ClaimStorage {
    return {
      read: () => {
        const [row] = this.#file.all(GET, name);
        return row ? (JSON.parse(String(row.state)) as ClaimState) : undefined;
      },
      write: (state) => void this.#file.all(PUT, name, JSON.stringify(state), state.ends),
      clear: () => void this.#file.all(REMOVE, name),
    };
  }
}

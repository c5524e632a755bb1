// Stores the claims on idempotency keys in PostgreSQL.

import { type ClaimState, ClaimStateMachine, replayFileOf } from "../../../src/service/jobs/claim-state.ts";
import type { Claim, Claims } from "../../../src/service/ports/claims.ts";
import { CLOCK, type Clock, DATABASE_CLOCK, type Database } from "./database.ts";

/** Not the lock of the row, because the row might not exist yet. It ends with the transaction. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('claims ' || $1, 0))";
/** A statement of its own, so that it reads, and reads the clock, after the wait for the lock. */
const GET = `SELECT ${CLOCK} AS now, (SELECT state FROM pagewright.claims WHERE name = $1) AS state`;
/** `file` is the file that exists only for replays. It is a column, so that a sweep does not read large answers. */
const PUT = `INSERT INTO pagewright.claims (name, state, file, ends) VALUES ($1, $2, $3, $4)
  ON CONFLICT (name) DO UPDATE SET state = excluded.state, file = excluded.file, ends = excluded.ends`;
const REMOVE = "DELETE FROM pagewright.claims WHERE name = $1";
const ENDED = "SELECT name, file FROM pagewright.claims WHERE ends <= $1 LIMIT 1000";
const REMOVE_ENDED = "DELETE FROM pagewright.claims WHERE name = ANY($1) AND ends <= $2";

export class PostgresClaims implements Claims {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock = DATABASE_CLOCK) {
    this.#database = database;
    this.#clock = clock;
  }

  getByName(name: string): Claim {
    const decide = <T>(decision: (claim: ClaimStateMachine) => T): Promise<T> =>
      this.#database.transaction(async (run) => {
        void run(LOCK, name);
        const [row] = (await run(GET, name)) as unknown as { readonly now: number; readonly state: string | null }[];
        const { now, state } = row!;
        const storage = {
          read: () => (state === null ? undefined : (JSON.parse(state) as ClaimState)),
          write: (state: ClaimState) =>
            void run(PUT, name, JSON.stringify(state), replayFileOf(state) ?? null, state.ends),
          clear: () => void run(REMOVE, name),
        };
        return decision(new ClaimStateMachine(storage, () => this.#clock(now)));
      });
    return {
      acquire: (holder, fingerprint) => decide((claim) => claim.acquire(holder, fingerprint)),
      complete: (holder, fingerprint, response) => decide((claim) => claim.complete(holder, fingerprint, response)),
      release: (holder) => decide((claim) => claim.release(holder)),
      invalidate: (fileId) => decide((claim) => claim.invalidate(fileId)),
    };
  }

  /**
   * Deletes expired claims. Several hosts can do so at once.
   * @param removeFiles deletes the files that exist only for the replays of expired claims
   */
  async sweep(removeFiles: (ids: readonly string[]) => Promise<void>): Promise<void> {
    const [time] = await this.#database.read(`SELECT ${CLOCK} AS now`);
    const now = this.#clock(Number(time!.now));
    for (;;) {
      const ended = (await this.#database.read(ENDED, now)) as {
        readonly name: string;
        readonly file: string | null;
      }[];
      if (ended.length === 0) return;
      await removeFiles(ended.flatMap(({ file }) => file ?? []));
      await this.#database.run(
        REMOVE_ENDED,
        ended.map(({ name }) => name),
        now,
      );
    }
  }
}

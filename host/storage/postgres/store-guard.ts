// Keeps a host away from a database whose hosts have their files in another store: it would run their jobs without the
// files, and its clients would miss files at every other host.

import type { Database } from "./database.ts";

const RENEW_MS = 30_000;
const FREE_AFTER = "90 seconds";
/** Returns a row if the store is that of the last hosts, or if these have not run for some time. */
const RENEW = `INSERT INTO pagewright.stores AS known (store) VALUES ($1) ON CONFLICT (id)
  DO UPDATE SET store = excluded.store, seen = now()
  WHERE known.store = excluded.store OR known.seen < now() - interval '${FREE_AFTER}' RETURNING store`;
export const OTHER_STORE = "Hosts with the same database have their files in another store.";

export class StoreGuard implements Disposable {
  readonly #database: Database;
  readonly #store: string;
  #isOther = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor(database: Database, store: string) {
    this.#database = database;
    this.#store = store;
  }

  /**
   * @param store identity of the store
   * @throws Error with a message for the operator if other hosts use another store
   */
  static async open(database: Database, store: string): Promise<StoreGuard> {
    const guard = new StoreGuard(database, store);
    await guard.#renew();
    if (guard.#isOther) {
      throw new Error(
        `DATABASE_URL: ${OTHER_STORE} Set the same S3_ENDPOINT and S3_BUCKET for all hosts. ` +
          `If the store has changed, stop all hosts for ${FREE_AFTER}.`,
      );
    }
    guard.#timer = setInterval(() => void guard.#renew().catch(() => {}), RENEW_MS).unref();
    return guard;
  }

  /** True if other hosts have taken the database over, because this one was frozen or had no connection. */
  get isOther(): boolean {
    return this.#isOther;
  }

  async #renew(): Promise<void> {
    this.#isOther = (await this.#database.run(RENEW, this.#store)).length === 0;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

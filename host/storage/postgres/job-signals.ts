// Wakes this host when another one has jobs that it cannot run itself (LISTEN). A signal can be lost with its
// connection, so hosts also ask the database at intervals.

import pg from "pg";
import { LIMITS } from "../../../src/document/contract/limits.ts";
import { connectionOptions } from "./database.ts";

export const JOBS_CHANNEL = "pagewright_jobs";

/** Listens until it is disposed, over connections that follow each other. */
export class JobSignals implements AsyncDisposable {
  readonly #url: string;
  readonly #wake: () => void;
  #client: pg.Client | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /** @param wake called at each signal, and when a connection begins, because earlier signals might be lost */
  constructor(url: string, wake: () => void) {
    this.#url = url;
    this.#wake = wake;
    void this.#listen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => {});
  }

  async #listen(): Promise<void> {
    const client = new pg.Client(connectionOptions(this.#url));
    this.#client = client;
    client.on("error", () => {});
    client.on("notification", () => this.#wake());
    client.once("end", () => {
      if (!this.#isClosed) this.#timer = setTimeout(() => void this.#listen(), LIMITS.databasePollMs).unref();
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${JOBS_CHANNEL}`);
      this.#wake();
    } catch {
      await client.end().catch(() => {});
    }
  }
}

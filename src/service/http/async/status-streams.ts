// Watches the status of jobs for the event streams of a process: one question a poll for each job, however many streams
// it has, and a limited number of streams. Streams share what was answered, and never wait for each other's questions: a
// Worker must not use the connections of another request.

import { LIMITS } from "../../../document/contract/limits.ts";
import type { JobStatus } from "../../ports/jobs.ts";
import { limitReached } from "../contract/errors.ts";

/** The streams of one job, or of one client, with the times until which they count. */
class Streams {
  readonly #until = new Map<symbol, number>();

  /** A Worker is not always told that a client has left, so a stream counts for as long as it may last at most. */
  get count(): number {
    for (const [stream, until] of this.#until) if (until <= Date.now()) this.#until.delete(stream);
    return this.#until.size;
  }

  add(stream: symbol): void {
    this.#until.set(stream, Date.now() + LIMITS.statusStreamMs);
  }

  remove(stream: symbol): void {
    this.#until.delete(stream);
  }
}

class Watched extends Streams {
  askedAt = Date.now();
  /** What was answered last; undefined if the job is gone. */
  status: JobStatus | undefined;
}

/** A stream that is open. */
export interface StatusStream extends Disposable {
  /** Returns the status as it was not long ago; undefined if the job is gone. */
  status(): Promise<JobStatus | undefined>;
}

const RETRY_SECONDS = 5;

export class StatusStreams {
  readonly #watched = new Map<string, Watched>();
  readonly #ofClients = new Map<string, Streams>();

  /**
   * @param first status of the job
   * @param ask returns its status now
   * @throws ServiceError 429 if the job or the client has too many streams
   */
  open(
    { id, client, first }: { readonly id: string; readonly client: string; readonly first: JobStatus },
    ask: () => Promise<JobStatus | undefined>,
  ): StatusStream {
    const watched = this.#watched.get(id) ?? new Watched();
    const ofClient = this.#ofClients.get(client) ?? new Streams();
    if (watched.count >= LIMITS.statusStreamsOfJob) throw tooMany(`${LIMITS.statusStreamsOfJob} streams of a request`);
    if (ofClient.count >= LIMITS.statusStreamsOfClient) {
      throw tooMany(`${LIMITS.statusStreamsOfClient} streams of a client`);
    }
    watched.status = first;
    const stream = Symbol(id);
    this.#watched.set(id, watched);
    this.#ofClients.set(client, ofClient);
    for (const streams of [watched, ofClient]) streams.add(stream);
    return {
      async status() {
        if (Date.now() - watched.askedAt >= LIMITS.statusPollMs) {
          watched.askedAt = Date.now();
          watched.status = await ask();
        }
        return watched.status;
      },
      [Symbol.dispose]: () => {
        for (const streams of [watched, ofClient]) streams.remove(stream);
        this.#tidy();
      },
    };
  }

  /** Forgets jobs and clients without streams. */
  #tidy(): void {
    for (const [id, streams] of this.#watched) if (streams.count === 0) this.#watched.delete(id);
    for (const [client, streams] of this.#ofClients) if (streams.count === 0) this.#ofClients.delete(client);
  }
}

const tooMany = (limit: string) => limitReached(limit, { "Retry-After": String(RETRY_SECONDS) });

// Polls the status of jobs for all event streams of a process. The streams of a job share one query per interval. A
// stream never awaits the query of another stream, because a Worker must not use another request's connections.

import { LIMITS } from "../../../document/contract/limits.ts";
import type { JobStatus } from "../../ports/jobs.ts";
import { limitReached } from "../contract/errors.ts";

/**
 * The open streams of one job or client. Each stream counts until it ends, or until its maximum duration has passed.
 */
class Streams {
  readonly #until = new Map<symbol, number>();

  /**
   * Ignores streams that exceed their maximum duration, because a Worker does not always detect that a client has
   * disconnected.
   */
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
  /** The last status; undefined if the job no longer exists. */
  status: JobStatus | undefined;
}

/** An open event stream. */
export interface StatusStream extends Disposable {
  /** Returns a recent status; undefined if the job no longer exists. */
  status(): Promise<JobStatus | undefined>;
}

const RETRY_SECONDS = 5;

export class StatusStreams {
  readonly #watched = new Map<string, Watched>();
  readonly #ofClients = new Map<string, Streams>();

  /**
   * @param first status of the job
   * @param ask returns the current status
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

  /** Deletes jobs and clients without streams. */
  #tidy(): void {
    for (const [id, streams] of this.#watched) if (streams.count === 0) this.#watched.delete(id);
    for (const [client, streams] of this.#ofClients) if (streams.count === 0) this.#ofClients.delete(client);
  }
}

const tooMany = (limit: string) => limitReached(limit, { "Retry-After": String(RETRY_SECONDS) });

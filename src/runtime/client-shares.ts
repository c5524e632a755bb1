// Divides permits and queue positions fairly among clients.

/** A ticket of a client. */
interface Wanted {
  readonly client: string;
}

/** State of a client with at least one ticket. */
interface Share {
  present: number;
  /** Sequence number of the client's last permit: higher is more recent. */
  lastTurn: number;
}

export class ClientShares {
  readonly #shares = new Map<string, Share>();
  #turns = 0;

  /** Adds one ticket to a client's count until the result is disposed. */
  join(client: string): Disposable {
    const share = this.#shares.get(client) ?? { present: 0, lastTurn: 0 };
    this.#shares.set(client, share);
    share.present++;
    let isDisposed = false;
    return {
      [Symbol.dispose]: () => {
        if (isDisposed) return;
        isDisposed = true;
        if (--share.present === 0) this.#shares.delete(client);
      },
    };
  }

  /**
   * Chooses the ticket of the client with the fewest active tickets; among clients with equally few, the client that
   * has waited longest since its last permit.
   * @param waiting in order of arrival
   */
  next<Ticket extends Wanted>(waiting: readonly Ticket[], working: readonly Wanted[]): Ticket | undefined {
    const held = countsOf(working);
    const next = leastServed(waiting, held, ({ client }) => this.#shares.get(client)?.lastTurn ?? 0);
    const share = next && this.#shares.get(next.client);
    if (share) share.lastTurn = ++this.#turns;
    return next;
  }

  /** Returns the number of a client's tickets, queued and active. */
  presentOf(client: string): number {
    return this.#shares.get(client)?.present ?? 0;
  }
}

/**
 * Chooses a ticket of the client with the fewest active tickets.
 * @param tieBreaker ranks tickets of clients with equally few active tickets; the lowest rank wins. @default the first
 * ticket
 */
export function leastServed<Ticket extends Wanted>(
  waiting: readonly Ticket[],
  active: ReadonlyMap<string, number>,
  tieBreaker: (ticket: Ticket) => number = () => 0,
): Ticket | undefined {
  const served = ({ client }: Ticket) => active.get(client) ?? 0;
  // The sort is stable.
  return waiting.toSorted((one, other) => served(one) - served(other) || tieBreaker(one) - tieBreaker(other))[0];
}

/**
 * Chooses the ticket to evict from a full queue: the last ticket of the client with the most queued tickets.
 * @param isTooMany reports whether that client has so many that it must make room for the newcomer
 */
export function ticketToEvict<Ticket extends Wanted>(
  waiting: readonly Ticket[],
  isTooMany: (queued: number, client: string) => boolean,
): Ticket | undefined {
  const [most, count] = [...countsOf(waiting)].reduce((one, other) => (other[1] > one[1] ? other : one), ["", 0]);
  return isTooMany(count, most) ? waiting.findLast(({ client }) => client === most) : undefined;
}

/**
 * Returns a rule for {@link ticketToEvict}: a client with more than half of the queue must make room, if the newcomer
 * has less than half.
 */
export function overHalf(newcomer: { readonly client: string; readonly present: number }, maxQueued: number) {
  const half = Math.max(1, Math.floor(maxQueued / 2));
  return (queued: number, client: string) => client !== newcomer.client && queued > half && newcomer.present < half;
}

/**
 * Reports whether a client can take more of a resource that clients can hold for an unlimited time. A client that
 * already has some must leave as much free as it holds afterward, so that capacity always remains for the next client.
 * Network switches share buffers by the same rule (dynamic queue length thresholds). Example: of 8 permits, a client
 * that acquires one at a time stops at 4.
 */
export const leavesEnough = (more: number, held: number, free: number): boolean =>
  more <= free && (held === 0 || held + more <= free - more);

/** Returns the number of tickets of each client. */
export function countsOf(wanted: Iterable<Wanted>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { client } of wanted) counts.set(client, (counts.get(client) ?? 0) + 1);
  return counts;
}

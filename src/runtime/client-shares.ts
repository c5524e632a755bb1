// Shares a queue, or a number of places, among clients. Knows nothing about the work.

/** Something that a client wants. */
interface Wanted {
  readonly client: string;
}

/** One client's share, kept for as long as the client is here. */
interface Share {
  present: number;
  /** Number of the turn in which the client last had one. Later turns have higher numbers. */
  lastTurn: number;
}

export class ClientShares {
  readonly #shares = new Map<string, Share>();
  #turns = 0;

  /** Adds one to what a client has here, until it is disposed of. */
  join(client: string): Disposable {
    const share = this.#shares.get(client) ?? { present: 0, lastTurn: 0 };
    this.#shares.set(client, share);
    share.present++;
    let isGone = false;
    return {
      [Symbol.dispose]: () => {
        if (isGone) return;
        isGone = true;
        if (--share.present === 0) this.#shares.delete(client);
      },
    };
  }

  /**
   * Chooses the ticket of the client with the fewest that work, and among those, whose last turn is longest ago.
   * @param waiting in the order of arrival
   */
  next<Ticket extends Wanted>(waiting: readonly Ticket[], working: readonly Wanted[]): Ticket | undefined {
    const held = countsOf(working);
    const rank = ({ client }: Ticket) => [held.get(client) ?? 0, this.#shares.get(client)?.lastTurn ?? 0] as const;
    const isBefore = (one: Ticket, other: Ticket) => {
      const [[count, turn], [otherCount, otherTurn]] = [rank(one), rank(other)];
      return count < otherCount || (count === otherCount && turn < otherTurn);
    };
    const next = waiting.reduce<Ticket | undefined>(
      (best, one) => (best && !isBefore(one, best) ? best : one),
      undefined,
    );
    const share = next && this.#shares.get(next.client);
    if (share) share.lastTurn = ++this.#turns;
    return next;
  }

  /** Returns how much a client has here. */
  presentOf(client: string): number {
    return this.#shares.get(client)?.present ?? 0;
  }
}

/**
 * Returns the last ticket of the client with the most, if they are more than half of a full queue and the newcomer has
 * fewer.
 */
export function givingWay<Ticket extends Wanted>(
  waiting: readonly Ticket[],
  newcomer: { readonly client: string; readonly present: number },
  mostWaiting: number,
): Ticket | undefined {
  const counts = countsOf(waiting);
  const [most, count] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one), ["", 0]);
  const half = Math.max(1, Math.floor(mostWaiting / 2));
  if (most === newcomer.client || count <= half || newcomer.present >= half) return undefined;
  return waiting.findLast(({ client }) => client === most);
}

/**
 * Reports whether a client may have some more of what clients hold for as long as they like. A client that has any
 * already leaves at least as much to others as it has then, so that there is always something left for the next one.
 * Switches share their buffers by the same rule ("dynamic queue length thresholds").
 */
export const leavesEnough = (more: number, held: number, free: number): boolean =>
  more <= free && (held === 0 || held + more <= free - more);

function countsOf(wanted: readonly Wanted[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { client } of wanted) counts.set(client, (counts.get(client) ?? 0) + 1);
  return counts;
}

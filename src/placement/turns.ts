// Limits concurrent work that needs a share of the isolate's memory, and shares the turns among clients.

import { BoundedQueue, type QueueLimits } from "../core/bounded-queue.ts";
import { ClientShares, givingWay, leavesEnough } from "../core/client-shares.ts";

export interface TurnLimits extends Required<Pick<QueueLimits, "atOnce" | "waiting" | "maxWaitMs">> {
  /** True if the client decides how long a turn takes: then it leaves turns to others. @default false */
  readonly leavesRoom?: boolean;
}

export interface Turns {
  /**
   * Waits for a turn. Disposing of it ends the turn.
   * @param isPatient true for work that nobody waits for: it has its turn when no other wants one. @default false
   * @throws EngineFailure `busy` if too many wait already, or the wait takes too long
   */
  take(signal: AbortSignal, isPatient?: boolean): Promise<Disposable>;
}

interface Ticket {
  readonly client: string;
  readonly isPatient: boolean;
}

/** Returns the same turns for work that nobody waits for. */
export const patient = (turns: Turns): Turns => ({ take: (signal) => turns.take(signal, true) });

/** Turns that tell how many are taken. */
export interface CountedTurns extends Turns {
  /** Returns the turns that count for a client. The others count for a client without a name. */
  for(client: string): Turns;
  /** Number of those that wait. */
  readonly waiting: number;
  /** Number of further ones that may come. */
  readonly room: number;
}

export function createTurns({ atOnce, waiting: mostWaiting, maxWaitMs, leavesRoom = false }: TurnLimits): CountedTurns {
  const shares = new ClientShares();
  const mayWork = (client: string, working: readonly Ticket[]) => {
    const held = working.filter((ticket) => ticket.client === client).length;
    return !leavesRoom || leavesEnough(1, held, atOnce - working.length);
  };
  const queue = new BoundedQueue<Ticket>({
    ...{ atOnce, waiting: mostWaiting, maxWaitMs },
    next(waiting, working) {
      const able = waiting.filter(({ client }) => mayWork(client, working));
      const awaited = able.filter(({ isPatient }) => !isPatient);
      return shares.next(awaited.length > 0 ? awaited : able, working);
    },
    crowded(waiting, newcomer) {
      const { client } = newcomer;
      const before = { client, present: shares.presentOf(client) - 1 };
      return givingWay(waiting.slice(0, -1), before, mostWaiting) ?? newcomer;
    },
  });
  const turnsOf = (client: string): Turns => ({
    async take(signal, isPatient = false) {
      const resources = new DisposableStack();
      resources.use(shares.join(client));
      try {
        // The turn ends before the client leaves.
        resources.use(await queue.take({ client, isPatient }, signal));
        return resources;
      } catch (error) {
        resources.dispose();
        throw error;
      }
    },
  });
  return {
    ...turnsOf(""),
    for: turnsOf,
    get waiting() {
      return queue.waiting.length;
    },
    get room() {
      return Math.max(0, atOnce + mostWaiting - queue.working.length - queue.waiting.length);
    },
  };
}

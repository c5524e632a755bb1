// Limits concurrent work that needs a share of the isolate's memory, and shares the turns among clients.

import { ClientShares, givingWay, leavesEnough } from "../../runtime/client-shares.ts";
import { PermitQueue, type PermitQueueLimits } from "../../runtime/permit-queue.ts";

export interface SemaphoreLimits extends Required<Pick<PermitQueueLimits, "concurrency" | "maxQueued" | "maxWaitMs">> {
  /** True if the client decides how long a turn takes: then it leaves turns to others. @default false */
  readonly leavesRoom?: boolean;
}

export interface Semaphore {
  /**
   * Waits for a turn. Disposing of it ends the turn.
   * @param isLowPriority true for work that nobody waits for: it has its turn when no other wants one. @default false
   * @throws EngineFailure `busy` if too many wait already, or the wait takes too long
   */
  acquire(signal: AbortSignal, isLowPriority?: boolean): Promise<Disposable>;
}

interface Ticket {
  readonly client: string;
  readonly isPatient: boolean;
}

/** Returns the same turns for work that nobody waits for. */
export const lowPriority = (turns: Semaphore): Semaphore => ({ acquire: (signal) => turns.acquire(signal, true) });

/** Turns that tell how many are taken. */
export interface ObservableSemaphore extends Semaphore {
  /** Returns the turns that count for a client. The others count for a client without a name. */
  for(client: string): Semaphore;
  /** Number of those that wait. */
  readonly queued: number;
  /** Number of further ones that may come. */
  readonly available: number;
}

export function createSemaphore({
  concurrency,
  maxQueued: mostWaiting,
  maxWaitMs,
  leavesRoom = false,
}: SemaphoreLimits): ObservableSemaphore {
  const shares = new ClientShares();
  const mayWork = (client: string, working: readonly Ticket[]) => {
    const held = working.filter((ticket) => ticket.client === client).length;
    return !leavesRoom || leavesEnough(1, held, concurrency - working.length);
  };
  const queue = new PermitQueue<Ticket>({
    ...{ concurrency, maxQueued: mostWaiting, maxWaitMs },
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
  const turnsOf = (client: string): Semaphore => ({
    async acquire(signal, isPatient = false) {
      const resources = new DisposableStack();
      resources.use(shares.join(client));
      try {
        // The turn ends before the client leaves.
        resources.use(await queue.acquire({ client, isPatient }, signal));
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
    get queued() {
      return queue.waiting.length;
    },
    get available() {
      return Math.max(0, concurrency + mostWaiting - queue.active.length - queue.waiting.length);
    },
  };
}

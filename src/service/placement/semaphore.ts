// Limits concurrent work by permits, and divides the permits fairly among clients.

import { ClientShares, leavesEnough, overHalf, ticketToEvict } from "../../runtime/client-shares.ts";
import { PermitQueue, type PermitQueueLimits } from "../../runtime/permit-queue.ts";

export interface SemaphoreLimits extends Required<Pick<PermitQueueLimits, "concurrency" | "maxQueued" | "maxWaitMs">> {
  /**
   * True if clients determine how long they hold a permit, for example by uploading slowly. Then one client never gets
   * all permits. @default false
   */
  readonly leavesRoom?: boolean;
}

export interface Semaphore {
  /**
   * Waits for a permit. Disposing the returned object releases the permit.
   * @param isLowPriority true for background work, which gets a permit only if no other work is queued. @default false
   * @throws EngineFailure `busy` if the queue is full, or the wait takes too long
   */
  acquire(signal: AbortSignal, isLowPriority?: boolean): Promise<Disposable>;
}

interface Ticket {
  readonly client: string;
  readonly isLowPriority: boolean;
}

/** Returns the same semaphore with low priority, for background work. */
export const lowPriority = (turns: Semaphore): Semaphore => ({ acquire: (signal) => turns.acquire(signal, true) });

/** A semaphore with readable state. */
export interface ObservableSemaphore extends Semaphore {
  /**
   * Returns a semaphore whose permits count for this client. The permits of the original semaphore count for an unnamed
   * client.
   */
  for(client: string): Semaphore;
  /** Number of queued requests. */
  readonly queued: number;
  /** Number of further requests that can be accepted. */
  readonly available: number;
}

export function createSemaphore({
  concurrency,
  maxQueued,
  maxWaitMs,
  leavesRoom = false,
}: SemaphoreLimits): ObservableSemaphore {
  const shares = new ClientShares();
  const mayWork = (client: string, working: readonly Ticket[]) => {
    const held = working.filter((ticket) => ticket.client === client).length;
    return !leavesRoom || leavesEnough(1, held, concurrency - working.length);
  };
  const queue = new PermitQueue<Ticket>({
    ...{ concurrency, maxQueued, maxWaitMs },
    next(waiting, working) {
      const able = waiting.filter(({ client }) => mayWork(client, working));
      const awaited = able.filter(({ isLowPriority }) => !isLowPriority);
      return shares.next(awaited.length > 0 ? awaited : able, working);
    },
    evict(waiting, newcomer) {
      const { client } = newcomer;
      const before = { client, present: shares.presentOf(client) - 1 };
      return ticketToEvict(waiting.slice(0, -1), overHalf(before, maxQueued)) ?? newcomer;
    },
  });
  const semaphoreOf = (client: string): Semaphore => ({
    async acquire(signal, isLowPriority = false) {
      const resources = new DisposableStack();
      resources.use(shares.join(client));
      try {
        // The stack disposes in reverse order: it releases the permit before the client's share.
        resources.use(await queue.acquire({ client, isLowPriority }, signal));
        return resources;
      } catch (error) {
        resources.dispose();
        throw error;
      }
    },
  });
  return {
    ...semaphoreOf(""),
    for: semaphoreOf,
    get queued() {
      return queue.queued.length;
    },
    get available() {
      return Math.max(0, concurrency + maxQueued - queue.active.length - queue.queued.length);
    },
  };
}

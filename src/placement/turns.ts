// Turns for work that needs a share of the isolate's memory.

import { BoundedQueue, type QueueLimits } from "../core/bounded-queue.ts";

export type TurnLimits = Required<Pick<QueueLimits, "atOnce" | "waiting" | "maxWaitMs">>;

export interface Turns {
  /**
   * Waits for a turn, which disposing of it gives back.
   * @throws EngineFailure `busy` if too many wait already, or the wait takes too long
   */
  take(signal: AbortSignal): Promise<Disposable>;
}

export function createTurns(limits: TurnLimits): Turns {
  const queue = new BoundedQueue(limits);
  return { take: (signal) => queue.take({}, signal) };
}

// Limits concurrent work that needs a share of the isolate's memory.

import { BoundedQueue, type QueueLimits } from "../core/bounded-queue.ts";

export type TurnLimits = Required<Pick<QueueLimits, "atOnce" | "waiting" | "maxWaitMs">>;

export interface Turns {
  /**
   * Waits for a turn. Disposing of it ends the turn.
   * @throws EngineFailure `busy` if too many wait already, or the wait takes too long
   */
  take(signal: AbortSignal): Promise<Disposable>;
}

export function createTurns(limits: TurnLimits): Turns {
  const queue = new BoundedQueue(limits);
  return { take: (signal) => queue.take({}, signal) };
}

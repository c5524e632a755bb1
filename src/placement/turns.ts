// Limits concurrent work that needs a share of the isolate's memory.

import { BoundedQueue, type QueueLimits } from "../core/bounded-queue.ts";

export type TurnLimits = Required<Pick<QueueLimits, "atOnce" | "waiting" | "maxWaitMs">>;

export interface Turns {
  /**
   * Waits for a turn. Disposing of it ends the turn.
   * @param isPatient true for work that nobody waits for: it has its turn when no other wants one. @default false
   * @throws EngineFailure `busy` if too many wait already, or the wait takes too long
   */
  take(signal: AbortSignal, isPatient?: boolean): Promise<Disposable>;
}

interface Ticket {
  readonly isPatient: boolean;
}

/** Returns the same turns for work that nobody waits for. */
export const patient = (turns: Turns): Turns => ({ take: (signal) => turns.take(signal, true) });

/** Turns that tell how many are taken. */
export interface CountedTurns extends Turns {
  /** Number of those that wait. */
  readonly waiting: number;
  /** Number of further ones that may come. */
  readonly room: number;
}

export function createTurns(limits: TurnLimits): CountedTurns {
  const queue = new BoundedQueue<Ticket>({
    ...limits,
    next: (waiting) => waiting.find(({ isPatient }) => !isPatient) ?? waiting[0],
  });
  const { atOnce, waiting } = limits;
  return {
    take: (signal, isPatient = false) => queue.take({ isPatient }, signal),
    get waiting() {
      return queue.waiting.length;
    },
    get room() {
      return Math.max(0, atOnce + waiting - queue.working.length - queue.waiting.length);
    },
  };
}

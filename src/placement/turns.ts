// Turns for work that needs a share of the isolate's memory: so many at a time, so many waiting, no one for ever.
import { EngineFailure } from "../core/failure.ts";

export interface TurnLimits {
  /** How many may work at the same time. */
  readonly atOnce: number;
  /** How many may wait. */
  readonly waiting: number;
  /** Milliseconds after which one who waits is sent away. */
  readonly maxWaitMs: number;
}

export interface Turns {
  /**
   * Waits for a turn; `using` gives it back.
   * @throws EngineFailure `busy` if too many wait already, or the wait was too long
   */
  take(signal: AbortSignal): Promise<Disposable>;
}

export function createTurns({ atOnce, waiting, maxWaitMs }: TurnLimits): Turns {
  let active = 0;
  const queue: (() => void)[] = [];

  const begin = (): Disposable => {
    active++;
    let given = true;
    return {
      [Symbol.dispose]() {
        if (!given) return;
        given = false;
        active--;
        queue.shift()?.();
      },
    };
  };

  return {
    async take(signal) {
      signal.throwIfAborted();
      if (active < atOnce) return begin();
      if (queue.length >= waiting) throw new EngineFailure("busy", "too many wait for a turn");
      return new Promise<Disposable>((resolve, reject) => {
        const leave = (error: unknown) => {
          const index = queue.indexOf(enter);
          if (index < 0) return;
          queue.splice(index, 1);
          clearTimeout(timer);
          signal.removeEventListener("abort", gone);
          reject(error);
        };
        const gone = () => leave(signal.reason);
        const enter = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", gone);
          resolve(begin());
        };
        const timer = setTimeout(() => leave(new EngineFailure("busy", `no turn within ${maxWaitMs} ms`)), maxWaitMs);
        signal.addEventListener("abort", gone);
        queue.push(enter);
      });
    },
  };
}

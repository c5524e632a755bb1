// Whose processes give way to those of others: a job tells of what works for it, and once it is slow the system serves that last. A
// job's work finds its own teller without being handed one. Knows no engine.

import { AsyncLocalStorage } from "node:async_hooks";
import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";

/**
 * A tenth of a quick job's share of a processor that both want. The lowest priority (19) would leave a long but honest document a
 * hundredth, and it would run into its limit beside a stream of quick ones.
 */
export const SLOW_PRIORITY: number = constants.priority.PRIORITY_BELOW_NORMAL;

const current = new AsyncLocalStorage<Priority>();

/** One for each job. */
export class Priority {
  readonly #workers = new Set<() => void>();
  #isLow = false;

  /** Carries out the work step by step; whatever it starts belongs to this job. */
  async *within<T>(work: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = work[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await current.run(this, () => iterator.next());
        if (done) return;
        yield value;
      }
    } finally {
      await current.run(this, () => iterator.return?.());
    }
  }

  /** From now on the system serves all that works for this job last. */
  lower(): void {
    this.#isLow = true;
    for (const worker of this.#workers) worker();
  }

  /** @param lowerIt is called when the job becomes slow, or at once. @returns forgets it */
  add(lowerIt: () => void): () => void {
    this.#workers.add(lowerIt);
    if (this.#isLow) lowerIt();
    return () => this.#workers.delete(lowerIt);
  }
}

/** A process works for the job that is carried out here, until it is forgotten. */
export function processWorks(pid: number): () => void {
  return worksForJob(() => lowerProcess(pid));
}

/** Anything else does. */
export function worksForJob(lowerIt: () => void): () => void {
  return current.getStore()?.add(lowerIt) ?? (() => {});
}

/** Each thread has a priority of its own (setpriority(2)); what they start later has theirs. */
export function lowerProcess(pid: number): void {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) lowerThread(Number(thread));
  } catch {
    // It has ended.
  }
}

export function lowerThread(thread: number): void {
  try {
    setPriority(thread, SLOW_PRIORITY);
  } catch {
    // It has ended, or is another user's where this service is not root.
  }
}

// Lowers the priority of slow jobs' processes. A job registers its processes and threads, whose priority is lowered
// once the job is slow. The registry of a job is found through its async context.

import { AsyncLocalStorage } from "node:async_hooks";
import { constants, setPriority } from "node:os";
import { threadsOf } from "./proc.ts";

/**
 * Gives a slow job a tenth of a quick job's share of a processor that both want. At the lowest priority (19), a long
 * but harmless document would get a hundredth of the processor, and would reach its time limit while quick jobs keep
 * arriving.
 */
export const SLOW_PRIORITY: number = constants.priority.PRIORITY_BELOW_NORMAL;

const current = new AsyncLocalStorage<Priority>();

/** One job's priority, and its registered processes and threads. */
export class Priority {
  readonly #workers = new Set<() => void>();
  #isLow = false;

  /** Iterates the work within this job's async context, so that everything it starts belongs to the job. */
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

  /** Lowers the priority of the job's current and future workers. */
  lower(): void {
    this.#isLow = true;
    for (const worker of this.#workers) worker();
  }

  /**
   * Registers a worker.
   * @param lowerIt called when the job becomes slow, or immediately if it is slow
   * @returns a function that removes the worker
   */
  add(lowerIt: () => void): () => void {
    this.#workers.add(lowerIt);
    if (this.#isLow) lowerIt();
    return () => this.#workers.delete(lowerIt);
  }
}

/** Registers a process with the job of the async context. Returns the unregister function. */
export function registerProcess(pid: number): () => void {
  return registerWorker(() => lowerProcess(pid));
}

/** Registers another kind of worker with the job of the async context. Returns the unregister function. */
export function registerWorker(lowerIt: () => void): () => void {
  return current.getStore()?.add(lowerIt) ?? (() => {});
}

/**
 * Lowers the priority of each thread of a process, because each thread has its own (setpriority(2)). Threads and
 * processes that they start later inherit it.
 */
export function lowerProcess(pid: number): void {
  for (const thread of threadsOf(pid)) lowerThread(Number(thread));
}

export function lowerThread(thread: number): void {
  try {
    setPriority(thread, SLOW_PRIORITY);
  } catch {
    // The thread has ended, or belongs to another user and this service is not root.
  }
}

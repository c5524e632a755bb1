// Lowers the priority of slow jobs' processes. A job registers its processes and threads; their priority is lowered
// when the job becomes slow. The async context of the code determines the job.

import { AsyncLocalStorage } from "node:async_hooks";
import { constants, setPriority } from "node:os";
import { threadsOf } from "./proc.ts";

/**
 * Priority of slow jobs. If a slow and a quick job compete for a processor, the slow one gets about a tenth of the
 * quick one's share. At the lowest priority (19), a long but harmless document would get a hundredth, and would time
 * out while quick jobs keep arriving.
 */
export const SLOW_PRIORITY: number = constants.priority.PRIORITY_BELOW_NORMAL;

const current = new AsyncLocalStorage<Priority>();

/** The priority of one job, and its registered processes and threads. */
export class Priority {
  readonly #workers = new Set<() => void>();
  #isLow = false;

  /** Iterates over the work in this job's async context, so that all processes that it starts belong to the job. */
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
   * @param lowerIt called when the job becomes slow, or immediately if the job is already slow
   * @returns a function that removes the worker
   */
  add(lowerIt: () => void): () => void {
    this.#workers.add(lowerIt);
    if (this.#isLow) lowerIt();
    return () => this.#workers.delete(lowerIt);
  }
}

/** Registers a process with the job of the current async context. Returns the function that unregisters it. */
export function registerProcess(pid: number): () => void {
  return registerWorker(() => lowerProcess(pid));
}

/**
 * Registers a worker, such as a thread, with the job of the current async context. Returns the function that
 * unregisters it.
 */
export function registerWorker(lowerIt: () => void): () => void {
  return current.getStore()?.add(lowerIt) ?? (() => {});
}

/**
 * Lowers the priority of each thread of a process, because priorities are per thread (setpriority(2)). Threads and
 * processes that they start later inherit it.
 */
export function lowerProcess(pid: number): void {
  for (const thread of threadsOf(pid)) lowerThread(Number(thread));
}

export function lowerThread(thread: number): void {
  try {
    setPriority(thread, SLOW_PRIORITY);
  } catch {
    // The thread has ended, or belongs to another user while this service is not root.
  }
}

// Runs tasks with the same key sequentially, and tasks with different keys concurrently.

export class KeyedMutex {
  /** The last task of each busy key. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs a task after all earlier tasks with the same key have settled. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const settled = done.catch(() => {});
    this.#last.set(key, settled);
    try {
      return await done;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}

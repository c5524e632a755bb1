// Runs pieces of work on the same key one after the other, and those on different keys at the same time.

export class KeyedMutex {
  /** The last work of each key that has some. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs work after all work on its key that was given before, failed or not. */
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

// Keeps values in memory up to a total size; the least recently used value is dropped first.

export class Kept<T> {
  readonly #limit: number;
  readonly #values = new Map<string, { readonly value: T; readonly size: number }>();
  #size = 0;

  /** @param limit maximum total size; larger values are not kept */
  constructor(limit: number) {
    this.#limit = limit;
  }

  find(key: string): T | undefined {
    const kept = this.#values.get(key);
    if (!kept) return undefined;
    this.#values.delete(key);
    this.#values.set(key, kept);
    return kept.value;
  }

  keep(key: string, value: T, size: number): void {
    this.#drop(key);
    if (size > this.#limit) return;
    this.#values.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#values.keys()) {
      if (this.#size <= this.#limit) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#size -= this.#values.get(key)?.size ?? 0;
    this.#values.delete(key);
  }
}

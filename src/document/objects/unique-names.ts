// Replaces a name that is already in use with a variant of it, for example `name` with `name-2`.

export class UniqueNames {
  readonly #taken = new Set<string>();
  /**
   * The count in the last variant of each name. Without it, a name that occurs in all n inputs would take O(n²) time.
   */
  readonly #counts = new Map<string, number>();
  readonly #variant: (name: string, count: number) => string;

  /** @param variant returns a variant of a name; the count is at least 2 */
  constructor(variant: (name: string, count: number) => string) {
    this.#variant = variant;
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /**
   * Reserves a name.
   * @returns the name, or a variant of it if the name is already in use
   */
  take(name: string): string {
    let result = name;
    let count = this.#counts.get(name) ?? 1;
    while (this.#taken.has(result)) result = this.#variant(name, ++count);
    if (count > 1) this.#counts.set(name, count);
    this.#taken.add(result);
    return result;
  }
}

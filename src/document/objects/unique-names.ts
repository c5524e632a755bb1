// Replaces names that are already taken with variants.

export class UniqueNames {
  readonly #taken = new Set<string>();
  /**
   * Last count that was tried for each name. Without it, a name that all inputs share would take time proportional to
   * the square of their number.
   */
  readonly #counts = new Map<string, number>();
  readonly #variant: (name: string, count: number) => string;

  /** @param variant returns the variant of a name for a count from 2 on */
  constructor(variant: (name: string, count: number) => string) {
    this.#variant = variant;
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /** @returns the name, or a variant that is not taken; it is taken from now on */
  take(name: string): string {
    let result = name;
    let count = this.#counts.get(name) ?? 1;
    while (this.#taken.has(result)) result = this.#variant(name, ++count);
    if (count > 1) this.#counts.set(name, count);
    this.#taken.add(result);
    return result;
  }
}

// Names that are taken, and others for those that come again.

export class UniqueNames {
  readonly #taken = new Set<string>();
  /** Where the search for another name went on to; otherwise a name that all inputs have would cost the square of their number. */
  readonly #counts = new Map<string, number>();
  readonly #variant: (name: string, count: number) => string;

  /** @param variant of a name, for a count from 2 */
  constructor(variant: (name: string, count: number) => string) {
    this.#variant = variant;
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /** @returns the name, or a variant that nobody has; it is taken from now on */
  take(name: string): string {
    let result = name;
    let count = this.#counts.get(name) ?? 1;
    while (this.#taken.has(result)) result = this.#variant(name, ++count);
    if (count > 1) this.#counts.set(name, count);
    this.#taken.add(result);
    return result;
  }
}

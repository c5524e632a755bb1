// Replaces names that are already used by variants.

export class UniqueNames {
  readonly #taken = new Set<string>();
  /** Last count tried per name. Without it, a name used in all n inputs would take time proportional to n². */
  readonly #counts = new Map<string, number>();
  readonly #variant: (name: string, count: number) => string;

  /** @param variant returns the variant of a name for a count from 2 on */
  constructor(variant: (name: string, count: number) => string) {
    this.#variant = variant;
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /** @returns the name, or an unused variant; marks it as used */
  take(name: string): string {
    let result = name;
    let count = this.#counts.get(name) ?? 1;
    while (this.#taken.has(result)) result = this.#variant(name, ++count);
    if (count > 1) this.#counts.set(name, count);
    this.#taken.add(result);
    return result;
  }
}

// Finds items by their places on an axis without looking at all others: pages have up to hundreds of thousands.

/** Exponent of the smallest cells, in points. */
const SMALLEST = 2;

/** Items in cells of the power of two that is next to their length, so that an item is in at most two cells. */
export class Intervals<T> {
  readonly #levels = new Map<number, Map<number, T[]>>();

  add(from: number, to: number, item: T): void {
    const level = Math.max(SMALLEST, Math.ceil(Math.log2(to - from)));
    const cells = this.#levels.get(level) ?? new Map<number, T[]>();
    this.#levels.set(level, cells);
    const [first, last] = [Math.floor(from / 2 ** level), Math.floor(to / 2 ** level)];
    for (const cell of first === last ? [first] : [first, last]) {
      const items = cells.get(cell);
      if (items) items.push(item);
      else cells.set(cell, [item]);
    }
  }

  /** Returns the lists of the items that can be at places of a range. Other items are among them. */
  near(from: number, to = from): readonly T[][] {
    const lists: T[][] = [];
    for (const [level, cells] of this.#levels) {
      const [first, last] = [Math.floor(from / 2 ** level), Math.floor(to / 2 ** level)];
      if (last - first < cells.size) {
        for (let cell = first; cell <= last; cell++) {
          const items = cells.get(cell);
          if (items) lists.push(items);
        }
      } else {
        for (const [cell, items] of cells) if (cell >= first && cell <= last) lists.push(items);
      }
    }
    return lists;
  }
}

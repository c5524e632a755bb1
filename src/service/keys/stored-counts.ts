// Counts the bytes of one client's stored files, by the hour in which the files expire.

import type { RemovedFile, StoredBytes } from "../ports/limiter.ts";

export const HOUR_MS = 3_600_000;
/** Stands for the hour of files that never expire. */
export const NEVER = 0;
/**
 * Time for which a deleted file is remembered. If two concurrent requests delete the same file, both find it, but it
 * must be subtracted once.
 */
const REMOVED_MS = 60_000;
/**
 * Stored characters of a file ID: enough to distinguish the files of a client, but too few to read a file with them.
 */
const ID_CHARACTERS = 18;
/** Maximum number of remembered deletions, which limits the size of the state. */
const MAX_REMOVED = 20_000;
/** The stored counts, as JSON. */
export interface SerializedStored {
  readonly hours: readonly (readonly [hour: number, bytes: number])[];
  /** Recently deleted files, and the time in milliseconds at which each entry expires. */
  readonly removed: readonly (readonly [id: string, until: number])[];
}

export class StoredCounts {
  readonly #now: () => number;
  readonly #hours: Map<number, number>;
  readonly #removed: Map<string, number>;

  constructor(kept: SerializedStored | undefined, now: () => number) {
    this.#now = now;
    this.#hours = new Map(kept?.hours);
    this.#removed = new Map(kept?.removed);
  }

  get kept(): SerializedStored {
    return { hours: [...this.#hours], removed: [...this.#removed] };
  }

  get isEmpty(): boolean {
    this.#forget();
    return this.#hours.size === 0 && this.#removed.size === 0;
  }

  get hours(): SerializedStored["hours"] {
    this.#forget();
    return [...this.#hours];
  }

  add({ bytes, expires }: StoredBytes): void {
    this.#forget();
    const hour = hourOf(expires);
    if (bytes > 0) this.#hours.set(hour, (this.#hours.get(hour) ?? 0) + bytes);
  }

  /**
   * Subtracts bytes from the hour of their expiry, or from the nearest hours, because files can have been counted with
   * a slightly different expiry.
   */
  subtract({ bytes, expires }: StoredBytes): void {
    const hour = hourOf(expires);
    const nearest = [...this.#hours].sort(([a], [b]) => Math.abs(a - hour) - Math.abs(b - hour));
    let rest = bytes;
    for (const [hour, counted] of nearest) {
      const less = Math.min(rest, counted);
      rest -= less;
      if (less === counted) this.#hours.delete(hour);
      else this.#hours.set(hour, counted - less);
    }
  }

  removed(files: readonly RemovedFile[]): void {
    this.#forget();
    for (const file of files) {
      const id = file.id.slice(-ID_CHARACTERS);
      if (this.#removed.has(id)) continue;
      this.#removed.set(id, this.#now() + REMOVED_MS);
      this.subtract(file);
    }
    const [first] = [...this.#removed.keys()].slice(-MAX_REMOVED);
    for (const id of this.#removed.keys()) {
      if (id === first) break;
      this.#removed.delete(id);
    }
  }

  /** Deletes expired counts. */
  #forget(): void {
    for (const hour of this.#hours.keys()) {
      if (hour !== NEVER && hour * HOUR_MS <= this.#now()) this.#hours.delete(hour);
    }
    for (const [id, until] of this.#removed) if (until <= this.#now()) this.#removed.delete(id);
  }
}

/** Returns the first hour, since 1970, in which bytes with this expiry no longer count. */
const hourOf = (expires: number | undefined) => (expires === undefined ? NEVER : Math.ceil(expires / HOUR_MS));

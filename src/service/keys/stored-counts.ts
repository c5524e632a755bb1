// Counts the bytes of one client's stored files, by the hour in which the files expire.

import type { Remaining, RemovedFile, StoredBytes } from "../ports/limiter.ts";

const HOUR_MS = 3_600_000;
/** Stands for the hour of files that never expire. */
const NEVER = 0;
/**
 * Time for which a deleted file is remembered. If two concurrent requests delete the same file, both find it, but it
 * must be subtracted once.
 */
const REMOVED_MS = 60_000;
/**
 * Stored characters of a file ID: enough to distinguish the files of a client, but too few to read a file with them.
 */
const ID_CHARACTERS = 12;
/** Maximum number of remembered deletions, which limits the size of the state. */
const MAX_REMOVED = 20_000;
/**
 * Retry-After if only files that never expire are stored. It is a guess, because the client must delete files first.
 */
const RETRY_SECONDS = 3600;

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

  /** @returns undefined if the bytes were counted; otherwise the seconds until the limit might allow them */
  add(limit: number, { bytes, expires }: StoredBytes): number | undefined {
    this.#forget();
    const excess = this.#bytes + bytes - limit;
    if (excess > 0) return this.#secondsUntil(excess);
    const hour = hourOf(expires);
    if (bytes > 0) this.#hours.set(hour, (this.#hours.get(hour) ?? 0) + bytes);
    return undefined;
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

  left(limit: number): Remaining {
    this.#forget();
    const count = Math.max(0, limit - this.#bytes);
    if (this.#hours.has(NEVER)) return { count };
    const last = Math.max(0, ...this.#hours.keys());
    return { count, seconds: last === 0 ? 0 : this.#secondsTo(last) };
  }

  get #bytes(): number {
    return [...this.#hours.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Deletes expired counts. */
  #forget(): void {
    for (const hour of this.#hours.keys()) {
      if (hour !== NEVER && hour * HOUR_MS <= this.#now()) this.#hours.delete(hour);
    }
    for (const [id, until] of this.#removed) if (until <= this.#now()) this.#removed.delete(id);
  }

  /** Returns the seconds until at least this number of bytes has expired. */
  #secondsUntil(bytes: number): number {
    let rest = bytes;
    for (const [hour, counted] of [...this.#hours].sort(([a], [b]) => a - b)) {
      if (hour !== NEVER) rest -= counted;
      if (rest <= 0) return this.#secondsTo(hour);
    }
    return RETRY_SECONDS;
  }

  #secondsTo(hour: number): number {
    return Math.max(1, Math.ceil((hour * HOUR_MS - this.#now()) / 1000));
  }
}

/** Returns the first hour, since 1970, in which bytes with this expiry no longer count. */
const hourOf = (expires: number | undefined) => (expires === undefined ? NEVER : Math.ceil(expires / HOUR_MS));

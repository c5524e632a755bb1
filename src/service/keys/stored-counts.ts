// Counts the bytes of the files of one client that are stored, by the hour in which they end.

import type { Remaining, RemovedFile, StoredBytes } from "../ports/limiter.ts";

const HOUR_MS = 3_600_000;
/** The hour of files that stay for ever. */
const NEVER = 0;
/** Two requests that remove the same file at the same time both find it. Later ones do not. */
const REMOVED_MS = 60_000;
/** Enough of an id to tell the files of a client apart, and not enough to read one. */
const ID_CHARACTERS = 12;
/** Limits what is kept of a client that removes many files. */
const MOST_REMOVED = 20_000;
/** Nobody knows when a client will remove a file that stays. */
const RETRY_SECONDS = 3600;

/** What is kept, as JSON. */
export interface KeptStored {
  readonly hours: readonly (readonly [hour: number, bytes: number])[];
  /** Files that were removed a moment ago, and the time in milliseconds until which that is remembered. */
  readonly removed: readonly (readonly [id: string, until: number])[];
}

export class StoredCounts {
  readonly #now: () => number;
  readonly #hours: Map<number, number>;
  readonly #removed: Map<string, number>;

  constructor(kept: KeptStored | undefined, now: () => number) {
    this.#now = now;
    this.#hours = new Map(kept?.hours);
    this.#removed = new Map(kept?.removed);
  }

  get kept(): KeptStored {
    return { hours: [...this.#hours], removed: [...this.#removed] };
  }

  get isEmpty(): boolean {
    this.#forget();
    return this.#hours.size === 0 && this.#removed.size === 0;
  }

  /** @returns undefined if the bytes count; the seconds until there may be room if they do not, for want of it */
  add(limit: number, { bytes, expires }: StoredBytes): number | undefined {
    this.#forget();
    const excess = this.#bytes + bytes - limit;
    if (excess > 0) return this.#secondsUntil(excess);
    const hour = hourOf(expires);
    if (bytes > 0) this.#hours.set(hour, (this.#hours.get(hour) ?? 0) + bytes);
    return undefined;
  }

  /** Subtracts bytes where they were added: a file may end a little later than it was expected to. */
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
    const [first] = [...this.#removed.keys()].slice(-MOST_REMOVED);
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

  /** Removes what no longer counts. */
  #forget(): void {
    for (const hour of this.#hours.keys()) {
      if (hour !== NEVER && hour * HOUR_MS <= this.#now()) this.#hours.delete(hour);
    }
    for (const [id, until] of this.#removed) if (until <= this.#now()) this.#removed.delete(id);
  }

  /** Returns the time until that many bytes have ended. */
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

/** Returns the hour after which bytes that end then no longer count. */
const hourOf = (expires: number | undefined) => (expires === undefined ? NEVER : Math.ceil(expires / HOUR_MS));

// Counts the bytes of the stored files of one client, by the hour in which they expire.

import type { Remaining, RemovedFile, StoredBytes } from "../ports/limiter.ts";

const HOUR_MS = 3_600_000;
/** The hour of files that never expire. */
const NEVER = 0;
/** Two requests that delete the same file at the same time both find it. Later requests do not. */
const REMOVED_MS = 60_000;
/** Enough of an ID to distinguish the files of a client, and not enough to read one. */
const ID_CHARACTERS = 12;
/** Bounds the state of a client that deletes many files. */
const MAX_REMOVED = 20_000;
/** The time at which a client deletes files that never expire is unknown. */
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

  /** @returns undefined if the bytes count; otherwise the seconds until they might fit */
  add(limit: number, { bytes, expires }: StoredBytes): number | undefined {
    this.#forget();
    const excess = this.#bytes + bytes - limit;
    if (excess > 0) return this.#secondsUntil(excess);
    const hour = hourOf(expires);
    if (bytes > 0) this.#hours.set(hour, (this.#hours.get(hour) ?? 0) + bytes);
    return undefined;
  }

  /** Subtracts bytes from the nearest hours: a file can expire a little later than expected. */
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

  /** Returns the seconds until that many bytes have expired. */
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

/** Returns the hour from which on bytes with this expiry no longer count. */
const hourOf = (expires: number | undefined) => (expires === undefined ? NEVER : Math.ceil(expires / HOUR_MS));

// A timer for one time, which can be arbitrarily far in the future.

/** Maximum delay of setTimeout. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class Alarm {
  readonly #ring: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param ring can be called early if the time is weeks away */
  constructor(ring: () => void) {
    this.#ring = ring;
  }

  /** Replaces the previous time. @param time milliseconds since 1970; undefined for none */
  set(time: number | undefined): void {
    clearTimeout(this.#timer);
    if (time === undefined) return;
    const ms = Math.min(Math.max(time - Date.now(), 0), MAX_TIMER_MS);
    this.#timer = setTimeout(this.#ring, ms).unref();
  }
}

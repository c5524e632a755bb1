// A timer that calls a function at one time, which can be arbitrarily far in the future.

/** Maximum delay that setTimeout supports. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class Alarm {
  readonly #ring: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param ring called at the time, or earlier if the time is more than 24 days away */
  constructor(ring: () => void) {
    this.#ring = ring;
  }

  /** Sets the time, and replaces the previous one. @param time milliseconds since 1970; undefined cancels the alarm */
  set(time: number | undefined): void {
    clearTimeout(this.#timer);
    if (time === undefined) return;
    const ms = Math.min(Math.max(time - Date.now(), 0), MAX_TIMER_MS);
    this.#timer = setTimeout(this.#ring, ms).unref();
  }
}

// Schedules the starts of engines. An engine that a job waits for starts immediately. All other engines start one after
// the other, and not during such a start. running-engines.ts registers the engines in order.

/** One engine's position in the order. */
export interface StartHandle {
  /** Runs a start when its turn comes. Rejects if the start fails. */
  run<T>(start: () => Promise<T>): Promise<T>;
  /** From now on, this engine can start immediately, because a job waits for it. */
  prioritize(): void;
}

interface Place extends StartHandle {
  isHurried: boolean;
  /** Runs the pending start. */
  begin: (() => void) | undefined;
}

export class StartOrder {
  readonly #places: Place[] = [];
  /** Number of starts in progress. */
  #starting = 0;
  #isOpen = false;

  /** Adds an engine at the end of the order. */
  register(): StartHandle {
    const place: Place = {
      isHurried: false,
      begin: undefined,
      run: (start) => this.#run(place, start),
      prioritize: () => {
        place.isHurried = true;
        this.#admit();
      },
    };
    this.#places.push(place);
    return place;
  }

  /** From now on, also starts engines that no job waits for. */
  open(): void {
    this.#isOpen = true;
    this.#admit();
  }

  /** Stops starting engines that no job waits for. */
  close(): void {
    this.#isOpen = false;
  }

  async #run<T>(place: Place, start: () => Promise<T>): Promise<T> {
    const { promise: turn, resolve } = Promise.withResolvers<void>();
    place.begin = resolve;
    this.#admit();
    await turn;
    try {
      return await start();
    } finally {
      this.#starting--;
      this.#admit();
    }
  }

  #admit(): void {
    const waiting = this.#places.filter(({ begin }) => begin !== undefined);
    for (const place of waiting) if (place.isHurried) this.#begin(place);
    const next = waiting.find(({ isHurried }) => !isHurried);
    if (next && this.#isOpen && this.#starting === 0) this.#begin(next);
  }

  #begin(place: Place): void {
    this.#starting++;
    place.begin?.();
    place.begin = undefined;
  }
}

// Decides when engines start: at once if a job waits for them, otherwise one after the other in the order of their
// places, and not beside an engine that a job waits for. Knows nothing about particular engines.

/** One engine's place in the order. */
export interface StartHandle {
  /** Waits for this place's turn, then starts the engine. Rejects as the start does. */
  run<T>(start: () => Promise<T>): Promise<T>;
  /** Gives this place its turn now and from now on, because a job waits for the engine. */
  prioritize(): void;
}

interface Place extends StartHandle {
  isHurried: boolean;
  /** Begins the start that waits. */
  begin: (() => void) | undefined;
}

export class StartOrder {
  readonly #places: Place[] = [];
  /** Number of starts in progress. */
  #starting = 0;
  #isOpen = false;

  /** Adds a place behind those that were added before. */
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

  /** Lets engines start that no job waits for. */
  open(): void {
    this.#isOpen = true;
    this.#admit();
  }

  /** Holds back engines that no job waits for. */
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

// The time of the world, which passes only while trips are under way and nothing computes: a simulation of discrete
// events. So the time of a request and the order of its trips are exact on any machine, at any load.

// Replaced in globals.ts by one that reports activity.
const { setTimeout } = globalThis;

/** Turns of the event loop without activity after which all computing waits for a trip. */
const QUIET_TURNS = 4;
/** The same for all background work, which pauses at short timers. */
const SETTLED_TURNS = 50;
/** Age in milliseconds at which work is forgotten, because the platform has canceled the request that waited for it. */
const FORGOTTEN_MS = 120_000;

/** Waits for a turn of the event loop, in the context of the request that calls it. */
export const turn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 1));

export class VirtualClock {
  #now = 0;
  #activity = 0;
  /** Starts of the calls that another process carries out, in real time. */
  readonly #work = new Map<object, number>();
  #arrivals: number[] = [];

  /** Virtual time in milliseconds. */
  get now(): number {
    return this.#now;
  }

  /** Reports that the Worker computes. */
  note(): void {
    this.#activity++;
  }

  /** Carries out work in another process. Meanwhile, the time stands still. */
  async work<T>(task: () => Promise<T>): Promise<T> {
    const entry = {};
    this.#work.set(entry, Date.now());
    try {
      return await task();
    } finally {
      this.#work.delete(entry);
      this.note();
    }
  }

  /** Waits for virtual time to pass. */
  async pass(ms: number): Promise<void> {
    if (ms === 0) return;
    const arrival = this.#now + ms;
    this.#arrivals.push(arrival);
    this.note();
    let quiet = 0;
    let seen = this.#activity;
    while (this.#now < arrival) {
      // Each trip waits by itself, because workerd ends a request that waits only for another request.
      await turn();
      quiet = this.#isWorking() || this.#activity !== seen ? 0 : quiet + 1;
      seen = this.#activity;
      if (quiet >= QUIET_TURNS) this.#advance();
    }
    this.note();
  }

  /** True if a trip or work in another process is under way. */
  get isUnderWay(): boolean {
    return this.#arrivals.length > 0 || this.#isWorking();
  }

  /** Waits until no trip is under way, and nothing computes. */
  async settled(): Promise<void> {
    for (let quiet = 0, seen = -1; quiet < SETTLED_TURNS; seen = this.#activity) {
      await turn();
      quiet = this.isUnderWay || this.#activity !== seen ? 0 : quiet + 1;
    }
  }

  #advance(): void {
    this.#now = Math.min(...this.#arrivals);
    this.#arrivals = this.#arrivals.filter((arrival) => arrival > this.#now);
    this.note();
  }

  #isWorking(): boolean {
    const oldest = Date.now() - FORGOTTEN_MS;
    return [...this.#work.values()].some((start) => start > oldest);
  }
}

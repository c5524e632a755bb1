// Provides places for jobs that have run for long, shared by all operations. Jobs that move here free the quick places,
// and each client is limited to a share. Knows nothing about jobs or engines.

import { CONTAINER_LIMITS } from "../limits.ts";

/** A place in the lane, or a request for one. Disposing of it returns it. */
export type SlowPermit = Disposable;

/** A place that is kept for a job. Disposing of it returns it, whether the job has entered or not. */
export interface PromisedPlace extends SlowPermit {
  enter(): void;
}

interface Waiter {
  readonly client: string;
  readonly enter: () => void;
}

/**
 * Returns the number of slow places.
 * @param jobs number of jobs of each kind that run at a time while they are quick
 */
export function slowLaneCapacity(jobs: number, memoryBytes: number): number {
  const { slowJobsPerPlace, slowJobBytes } = CONTAINER_LIMITS;
  return Math.max(2, Math.min(slowJobsPerPlace * jobs, Math.floor(memoryBytes / slowJobBytes)));
}

export class SlowLane {
  readonly places: number;
  readonly #perClient: number;
  /** Places that each client has or was promised. */
  readonly #held = new Map<string, number>();
  readonly #wishes = new Set<Waiter>();
  readonly #listeners: (() => void)[] = [];
  #heldByAll = 0;
  #taken = 0;

  /** @param places maximum number of jobs in the lane; one client may have half of them, and at least one */
  constructor(places: number) {
    this.places = places;
    this.#perClient = Math.max(1, Math.floor(places / 2));
  }

  /** Number of places that are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** @param listener called whenever there is room again */
  onRoom(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Reports whether the next slow job of this client would have to wait. */
  isFullFor(client: string): boolean {
    return this.#heldByAll >= this.places || (this.#held.get(client) ?? 0) >= this.#perClient;
  }

  /** Keeps a place for a job that may become slow. The lane must have room for its client. */
  promise(client: string): PromisedPlace {
    this.#hold(client, 1);
    let state: "promised" | "entered" | "over" = "promised";
    return {
      enter: () => {
        state = "entered";
        this.#taken++;
      },
      [Symbol.dispose]: () => {
        if (state === "over") return;
        if (state === "entered") this.#taken--;
        state = "over";
        this.#hold(client, -1);
        this.#letIn();
        for (const listener of this.#listeners) listener();
      },
    };
  }

  /** @param enter called once there is a place: at once, later, or never */
  ask(client: string, enter: () => void): SlowPermit {
    let place: PromisedPlace | undefined;
    const wish: Waiter = {
      client,
      enter: () => {
        place = this.promise(client);
        place.enter();
        enter();
      },
    };
    this.#wishes.add(wish);
    this.#letIn();
    return {
      [Symbol.dispose]: () => {
        this.#wishes.delete(wish);
        place?.[Symbol.dispose]();
      },
    };
  }

  #hold(client: string, more: number): void {
    this.#heldByAll += more;
    const held = (this.#held.get(client) ?? 0) + more;
    if (held > 0) this.#held.set(client, held);
    else this.#held.delete(client);
  }

  #letIn(): void {
    for (const wish of this.#wishes) {
      if (this.isFullFor(wish.client)) continue;
      this.#wishes.delete(wish);
      wish.enter();
    }
  }
}

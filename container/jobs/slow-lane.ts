// Provides places for jobs that have run for long, shared by all operations. Jobs that move here free the quick places,
// and each client is limited to a share. Knows nothing about jobs or engines.

import { CONTAINER_LIMITS } from "../limits.ts";

/** A place in the lane, or a request for one. Disposing of it returns it. */
export type SlowPlace = Disposable;

interface Wish {
  readonly client: string;
  readonly enter: () => void;
}

/**
 * Returns the number of slow places.
 * @param jobs number of jobs of each kind that run at a time while they are quick
 */
export function slowPlaces(jobs: number, memoryBytes: number): number {
  const { slowJobsPerPlace, slowJobBytes } = CONTAINER_LIMITS;
  return Math.max(2, Math.min(slowJobsPerPlace * jobs, Math.floor(memoryBytes / slowJobBytes)));
}

export class SlowLane {
  readonly places: number;
  readonly #perClient: number;
  readonly #held = new Map<string, number>();
  readonly #wishes = new Set<Wish>();
  readonly #listeners: (() => void)[] = [];
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
    return this.#taken >= this.places || (this.#held.get(client) ?? 0) >= this.#perClient;
  }

  /** @param enter called once there is a place: at once, later, or never */
  ask(client: string, enter: () => void): SlowPlace {
    const wish: Wish = { client, enter };
    this.#wishes.add(wish);
    let isOver = false;
    this.#letIn();
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        if (this.#wishes.delete(wish)) return;
        this.#taken--;
        const held = this.#held.get(client)! - 1;
        if (held > 0) this.#held.set(client, held);
        else this.#held.delete(client);
        this.#letIn();
        for (const listener of this.#listeners) listener();
      },
    };
  }

  #letIn(): void {
    for (const wish of this.#wishes) {
      if (this.isFullFor(wish.client)) continue;
      this.#wishes.delete(wish);
      this.#taken++;
      this.#held.set(wish.client, (this.#held.get(wish.client) ?? 0) + 1);
      wish.enter();
    }
  }
}

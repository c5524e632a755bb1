// Permits for jobs that run long, shared by all operations. A job that moves to this lane releases its quick permit.
// Each client can have only some of the permits.

import { CONTAINER_LIMITS } from "../limits.ts";

/** A slow permit, or a queued request for one. Disposal releases the permit or cancels the request. */
export type SlowPermit = Disposable;

/** A slow permit that is reserved for a job. Disposal releases it, even if the job never used it. */
export interface PromisedPlace extends SlowPermit {
  enter(): void;
}

interface Waiter {
  readonly client: string;
  readonly enter: () => void;
}

/**
 * Returns the number of slow permits.
 * @param jobs number of concurrent quick jobs per operation
 */
export function slowLaneCapacity(jobs: number, memoryBytes: number): number {
  const { slowJobsPerPlace, slowJobBytes } = CONTAINER_LIMITS;
  return Math.max(2, Math.min(slowJobsPerPlace * jobs, Math.floor(memoryBytes / slowJobBytes)));
}

export class SlowLane {
  readonly places: number;
  readonly #perClient: number;
  /** Number of permits that each client uses or has reserved. */
  readonly #held = new Map<string, number>();
  readonly #wishes = new Set<Waiter>();
  readonly #listeners: (() => void)[] = [];
  #heldByAll = 0;
  #taken = 0;

  /** @param places number of slow permits. One client can have half of them, but at least one */
  constructor(places: number) {
    this.places = places;
    this.#perClient = Math.max(1, Math.floor(places / 2));
  }

  /** Number of permits in use. */
  get taken(): number {
    return this.#taken;
  }

  /** @param listener called whenever a slow permit becomes free */
  onRoom(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Reports whether a further slow job of this client would have to wait. */
  isFullFor(client: string): boolean {
    return this.#heldByAll >= this.places || (this.#held.get(client) ?? 0) >= this.#perClient;
  }

  /** Reserves a permit for a job that might become slow. The lane must not be full for its client. */
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

  /** @param enter called when a permit is available: at once, later, or never if the request is disposed of first */
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

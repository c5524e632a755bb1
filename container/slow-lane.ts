// Places for jobs that have worked for long, shared by all operations: there they leave the places of the quick ones, and no client
// has more than a share. Knows no job and no engine.

/** A place in the lane, or the wish for one. Disposing of it gives it back. */
export type SlowPlace = Disposable;

interface Wish {
  readonly client: string;
  readonly enter: () => void;
}

/** Jobs that take more are rare, and their engines end them at limits of their own. */
const BYTES_PER_JOB = 2 ** 30;

/** @param jobs of a kind that work at a time, while they are quick */
export function slowPlaces(jobs: number, memoryBytes: number): number {
  return Math.max(2, Math.min(4 * jobs, Math.floor(memoryBytes / BYTES_PER_JOB)));
}

export class SlowLane {
  readonly places: number;
  readonly #perClient: number;
  readonly #held = new Map<string, number>();
  readonly #wishes = new Set<Wish>();
  readonly #listeners: (() => void)[] = [];
  #taken = 0;

  /** @param places how many jobs may be in it: half of them of one client, and one at least */
  constructor(places: number) {
    this.places = places;
    this.#perClient = Math.max(1, Math.floor(places / 2));
  }

  /** How many places are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** @param listener is called whenever there is room again */
  onRoom(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Whether the next slow job of this client would have to wait. */
  isFullFor(client: string): boolean {
    return this.#taken >= this.places || (this.#held.get(client) ?? 0) >= this.#perClient;
  }

  /** @param enter is called once there is a place: at once, later, or never */
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

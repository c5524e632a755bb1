// Stores the state of the page, and notifies the views when it changes.
import { FIRST_STATE, type Input, type Outcome, type State } from "./state.ts";

export class Store {
  #state: State = FIRST_STATE;
  readonly #listeners = new Set<() => void>();

  get state(): State {
    return this.#state;
  }

  /** The main inputs and the further files. */
  get inputs(): readonly Input[] {
    return [...this.#state.inputs, ...this.#state.further];
  }

  set(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  /** Deletes optional properties of the state. */
  clear(...names: ("job" | "shown" | "problem" | "chosen" | "packing")[]): void {
    const rest = { ...this.#state };
    for (const name of names) delete rest[name];
    this.#state = rest;
    for (const listener of this.#listeners) listener();
  }

  setInput(key: number, change: Partial<Input>): void {
    const changed = (input: Input) => (input.key === key ? { ...input, ...change } : input);
    this.set({ inputs: this.#state.inputs.map(changed), further: this.#state.further.map(changed) });
  }

  setOutcome(key: number, change: Partial<Outcome>): void {
    this.set({ outcomes: this.#state.outcomes.map((one) => (one.key === key ? { ...one, ...change } : one)) });
  }

  /** @returns the unsubscribe function */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

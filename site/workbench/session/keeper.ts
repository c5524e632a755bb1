// Saves state in the session storage of the tab, so that it survives a reload, and opens links to results. An ID grants
// access to a file without a key, so IDs are stored only as long as the tab is open. The page also works without
// storage.

import { filesOf, hasEnded, keptText, readKept, without } from "../model/keeping.ts";
import { idsIn, stepsIn } from "../model/links.ts";
import type { Output } from "../model/state.ts";
import type { Store } from "../model/store.ts";
import type { Inputs } from "./inputs.ts";
import { nextKey } from "./jobs.ts";
import { headOf, infoOf, isStored } from "./service.ts";
import { openSteps } from "./step-list.ts";

const SAVE_MS = 500;
const SWEEP_MS = 20_000;
/** Maximum number of files whose existence is checked after a reload or for a link, and number of concurrent checks. */
const MAX_ASKED = 200;
const ASKED_AT_ONCE = 4;

export class Keeper {
  readonly #store: Store;
  readonly #inputs: Inputs;
  /**
   * Name of the storage entry. It contains the path of the service, because one origin can serve several services under
   * different paths.
   */
  readonly #name = `pagewright ${new URL(".", document.baseURI).pathname}`;
  #saved = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store, inputs: Inputs) {
    this.#store = store;
    this.#inputs = inputs;
  }

  /** Restores the saved state. From then on, saves every change. */
  start(): void {
    this.#saved = this.#read() ?? "";
    const kept = readKept(this.#saved, Date.now());
    if (kept) {
      const { inputs, further, ...others } = kept;
      this.#store.set(others);
      this.#inputs.restore(inputs, further);
      void this.#forgetGone();
    }
    this.#store.subscribe(() => {
      this.#timer ??= setTimeout(() => this.#save(), SAVE_MS);
    });
    addEventListener("pagehide", () => this.#save());
    addEventListener("hashchange", () => void this.#open());
    setInterval(() => this.#sweep(), SWEEP_MS);
    void this.#open();
  }

  /** Clears the list of files and the forms, but not the results. */
  startAgain(): void {
    this.#inputs.abortUploads();
    this.#store.set({ inputs: [], further: [], values: {}, path: "/pdf", isPathChosen: false, steps: [] });
    this.#store.clear("shown", "chosen", "problem");
  }

  /** Opens the result or the steps that the fragment of the URL contains. */
  async #open(): Promise<void> {
    const ids = idsIn(location.hash);
    const steps = stepsIn(location.hash);
    if (steps) openSteps(this.#store, this.#inputs, steps);
    if (ids.length > 0) await this.#show(ids);
    // Removes both from the URL, because they are now in the session storage.
    if ((ids.length > 0 || steps) && this.#save()) {
      history.replaceState(null, "", location.pathname + location.search);
    }
  }

  async #show(ids: readonly string[]): Promise<void> {
    const known = this.#store.state.outcomes.find(({ results }) =>
      results.some(({ outputs }) => ids.every((id) => outputs.some((output) => output.id === id))),
    );
    if (known) this.#store.set({ shown: known.key });
    else await this.#add(ids);
  }

  async #add(ids: readonly string[]): Promise<void> {
    const candidates = ids.slice(0, MAX_ASKED);
    // Requests the number of pages only for the first file, because only its pages are shown.
    const infos = await overAll(candidates, (id) => (id === ids[0] ? infoOf(id) : headOf(id)));
    const outputs = ids.flatMap((id, index): Output[] => {
      const info = infos[index];
      return info || index >= MAX_ASKED ? [{ id, isDeleted: false, ...(info ? { info } : {}) }] : [];
    });
    if (outputs.length === 0) {
      const sentence = "The files of this link are no longer stored.";
      return this.#store.set({ problem: { status: 0, sentence, place: "result" }, announcement: sentence });
    }
    const { outcomes } = this.#store.state;
    const key = nextKey(outcomes);
    const result = { path: "", title: "", outputs, values: {}, converted: [], notices: [], fonts: [] };
    this.#store.set({ outcomes: [{ key, path: "", results: [result], archives: [] }, ...outcomes], shown: key });
  }

  /** Removes files that have expired while the page was open. */
  #sweep(): void {
    const now = Date.now();
    if (filesOf(this.#store.state).some((file) => hasEnded(file, now))) {
      this.#store.set(without(this.#store.state, (file) => hasEnded(file, now)));
    }
  }

  /** Removes files that no longer exist at the service. */
  async #forgetGone(): Promise<void> {
    const candidates = filesOf(this.#store.state).slice(0, MAX_ASKED);
    const results = await overAll(candidates, ({ id }) => isStored(id));
    const missing = new Set(candidates.filter((_, index) => !results[index]).map(({ id }) => id));
    if (missing.size > 0) this.#store.set(without(this.#store.state, ({ id }) => missing.has(id)));
  }

  /** @returns false if the storage is unavailable */
  #save(): boolean {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { state } = this.#store;
    const text = keptText(state);
    if (text === this.#saved) return true;
    const isKept =
      this.#write(text) || this.#write(keptText({ ...state, values: {}, outcomes: state.outcomes.slice(0, 1) }));
    this.#saved = isKept ? text : "";
    return isKept;
  }

  #read(): string | null {
    try {
      return sessionStorage.getItem(this.#name);
    } catch {
      return null;
    }
  }

  /** @returns false if the storage is full or forbidden */
  #write(text: string): boolean {
    try {
      if (text === "") sessionStorage.removeItem(this.#name);
      else sessionStorage.setItem(this.#name, text);
      return true;
    } catch {
      return false;
    }
  }
}

/** Calls a function for each item, with limited concurrency. @returns the results in the order of the items */
async function overAll<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const work = async () => {
    for (const [index, item] of waiting) results[index] = await ask(item);
  };
  await Promise.all(Array.from({ length: Math.min(ASKED_AT_ONCE, items.length) }, work));
  return results;
}

// Saves state in the tab's session storage for a reload, and opens links to results. An ID opens a file without a key,
// so IDs are never stored beyond the tab. The page also works without storage.

import { filesOf, hasEnded, keptText, readKept, without } from "../model/keeping.ts";
import { idsIn } from "../model/links.ts";
import type { Output } from "../model/state.ts";
import type { Store } from "../model/store.ts";
import type { Inputs } from "./inputs.ts";
import { nextKey } from "./jobs.ts";
import { headOf, infoOf, isStored } from "./service.ts";

const SAVE_MS = 500;
const SWEEP_MS = 20_000;
/**
 * Maximum number of files whose existence is checked after a reload or for a link, and the concurrency of these
 * requests.
 */
const MAX_ASKED = 200;
const ASKED_AT_ONCE = 4;

export class Keeper {
  readonly #store: Store;
  readonly #inputs: Inputs;
  /** One origin may serve several Pagewright services under different paths. */
  readonly #name = `pagewright ${new URL(".", document.baseURI).pathname}`;
  #saved = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store, inputs: Inputs) {
    this.#store = store;
    this.#inputs = inputs;
  }

  /** Restores the saved state, and saves every change from now on. */
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

  /** Clears the list and the forms, and keeps the results. */
  startAgain(): void {
    this.#inputs.abortUploads();
    this.#store.set({ inputs: [], further: [], values: {}, path: "/pdf", isPathChosen: false });
    this.#store.clear("shown", "chosen", "problem");
  }

  /** Opens the result in the URL's fragment. */
  async #open(): Promise<void> {
    const ids = idsIn(location.hash);
    if (ids.length === 0) return;
    const known = this.#store.state.outcomes.find(({ results }) =>
      results.some(({ outputs }) => ids.every((id) => outputs.some((output) => output.id === id))),
    );
    if (known) this.#store.set({ shown: known.key });
    else await this.#add(ids);
    // From here on, the IDs are in the session storage.
    if (this.#save()) history.replaceState(null, "", location.pathname + location.search);
  }

  async #add(ids: readonly string[]): Promise<void> {
    const asked = ids.slice(0, MAX_ASKED);
    // Only the pages of the first file are shown.
    const infos = await overAll(asked, (id) => (id === ids[0] ? infoOf(id) : headOf(id)));
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

  /** Removes files that expired while the page was open. */
  #sweep(): void {
    const now = Date.now();
    if (filesOf(this.#store.state).some((file) => hasEnded(file, now))) {
      this.#store.set(without(this.#store.state, (file) => hasEnded(file, now)));
    }
  }

  /** Removes files that the service no longer has. */
  async #forgetGone(): Promise<void> {
    const asked = filesOf(this.#store.state).slice(0, MAX_ASKED);
    const answers = await overAll(asked, ({ id }) => isStored(id));
    const gone = new Set(asked.filter((_, index) => !answers[index]).map(({ id }) => id));
    if (gone.size > 0) this.#store.set(without(this.#store.state, ({ id }) => gone.has(id)));
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

  /** @returns false if the storage is full, or forbidden */
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

/** Maps items with limited concurrency. @returns the results in the order of the items */
async function overAll<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<readonly R[]> {
  const answers: R[] = [];
  const waiting = items.entries();
  const work = async () => {
    for (const [index, item] of waiting) answers[index] = await ask(item);
  };
  await Promise.all(Array.from({ length: Math.min(ASKED_AT_ONCE, items.length) }, work));
  return answers;
}

// Adds, stores, orders and removes the inputs of the next job.
import { type Problem, placeOf } from "./problems.ts";
import { addressOf, infoOf, Refusal, remove, upload } from "./service.ts";
import type { Input, Stored } from "./state.ts";
import type { Store } from "./store.ts";

/** Part of a file's upload after which the page shows a change. */
const SHOWN_STEP = 0.01;
/** Results beyond this number are used without the number of their pages. */
const MAX_DESCRIBED = 20;

export class Inputs {
  readonly #store: Store;
  readonly #uploads = new Map<number, { readonly abort: AbortController; readonly done: Promise<void> }>();
  #nextKey = 1;

  constructor(store: Store) {
    this.#store = store;
  }

  addFiles(files: readonly File[]): void {
    this.#add(files.map((file) => ({ name: file.name, file })));
    this.storeEarly();
  }

  /** Stores files before a job needs them, if the service has described itself, and needs no key or has one. */
  storeEarly(): void {
    const { service, apiKey } = this.#store.state;
    if (service && (!service.keyed || apiKey !== "")) void this.storeAll().catch(() => {});
  }

  addAddress(url: string): void {
    this.#add([{ name: url, url }]);
  }

  /** Adds one of the documents that the page brings along. */
  async addSample(name: string): Promise<void> {
    const response = await fetch(addressOf(`workbench/${name}`)).catch(() => undefined);
    if (!response?.ok)
      return this.#fail({ status: response?.status ?? 0, sentence: "The sample could not be loaded." });
    this.addFiles([new File([await response.blob()], name)]);
  }

  /** Adds stored files in place of all others. */
  async useResults(files: readonly Stored[]): Promise<void> {
    const described = await Promise.all(
      files.map(async ({ id, info }, index) => ({ id, info: index < MAX_DESCRIBED ? await infoOf(id) : info })),
    );
    for (const { key } of this.#store.state.inputs) this.#forget(key);
    this.#store.set({ inputs: [] });
    this.#store.clear("shown", "problem", "chosen");
    this.#add(
      described.map(({ id, info }) => ({
        name: info?.name ?? "result",
        id,
        isResult: true,
        ...(info ? { info } : {}),
      })),
    );
  }

  /** Adds inputs as they were before the page was loaded. */
  restore(inputs: readonly Input[]): void {
    this.#store.set({ inputs: inputs.map((input) => ({ ...input, key: this.#nextKey++ })) });
  }

  /** Removes an input, and its stored file unless it is a result that is still shown. */
  remove(key: number): void {
    const input = this.#store.state.inputs.find((input) => input.key === key);
    this.#forget(key);
    this.#store.set({
      inputs: this.#store.state.inputs.filter((input) => input.key !== key),
      announcement: `${input?.name} was removed.`,
    });
    if (this.#store.state.problem?.place === "files") this.#store.clear("problem");
    const ids = [...(input?.isResult ? [] : [input?.id]), input?.pdf?.id].filter((id) => id !== undefined);
    for (const id of ids) void remove(id, this.#store.state.apiKey).catch(() => {});
  }

  /** Moves an input to another place, which is kept within the list. */
  move(key: number, to: number): void {
    const inputs = [...this.#store.state.inputs];
    const from = inputs.findIndex((input) => input.key === key);
    const place = Math.max(0, Math.min(to, inputs.length - 1));
    const [moved] = inputs.splice(from, 1);
    if (!moved) return;
    inputs.splice(place, 0, moved);
    this.#store.set({ inputs, announcement: `${moved.name} is now number ${place + 1} of ${inputs.length}.` });
  }

  choose(key: number): void {
    this.#store.set({ chosen: key });
  }

  setPages(key: number, pages: string): void {
    this.#store.setInput(key, { pages });
  }

  /**
   * Stores all files that are not stored yet.
   * @throws Refusal of the first one that cannot be stored
   */
  async storeAll(): Promise<void> {
    const waiting = this.#store.state.inputs.filter(({ file, id }) => file && id === undefined);
    await Promise.all(waiting.map((input) => this.#stored(input)));
  }

  /** Stores the file of an input, if it has one that is not stored yet. @throws Refusal */
  async storeOne(key: number): Promise<void> {
    const input = this.#store.state.inputs.find((input) => input.key === key);
    if (input?.file && input.id === undefined) await this.#stored(input);
  }

  /** Aborts uploads. The files stay on the page, and are stored when they are needed. */
  abortUploads(): void {
    for (const key of [...this.#uploads.keys()]) {
      this.#forget(key);
      this.#store.setInput(key, { sent: 0 });
    }
  }

  #add(added: readonly (Pick<Input, "name"> & Partial<Input>)[]): void {
    const inputs = added.map((input) => ({ isResult: false, pages: "all", ...input, key: this.#nextKey++ }));
    const names = inputs.map(({ name }) => name).join(", ");
    const { inputs: before, path, isPathChosen } = this.#store.state;
    this.#store.set({
      inputs: [...before, ...inputs],
      path: isPathChosen || before.length > 0 ? path : suitablePath(inputs),
      announcement: `Added ${names}.`,
    });
    if (this.#store.state.problem?.place === "files") this.#store.clear("problem");
  }

  #stored(input: Input): Promise<void> {
    const running = this.#uploads.get(input.key);
    if (running) return running.done;
    const abort = new AbortController();
    const done = this.#send(input, abort.signal).finally(() => {
      // An aborted upload may have been begun again meanwhile.
      if (this.#uploads.get(input.key)?.abort === abort) this.#uploads.delete(input.key);
    });
    this.#uploads.set(input.key, { abort, done });
    return done;
  }

  async #send({ key, file }: Input, signal: AbortSignal): Promise<void> {
    let shown = 0;
    const onProgress = (part: number) => {
      if (part - shown < SHOWN_STEP && part < 1) return;
      shown = part;
      this.#store.setInput(key, { sent: part });
    };
    this.#store.setInput(key, { sent: 0, isRefused: false });
    try {
      const id = await upload(file!, { key: this.#store.state.apiKey, onProgress, signal });
      this.#store.setInput(key, { id, sent: 1 });
      const info = await infoOf(id);
      if (info) this.#store.setInput(key, { info });
    } catch (error) {
      this.#store.setInput(key, { sent: 0 });
      if (error instanceof Refusal && !signal.aborted) {
        this.#fail(error.problem);
        this.#store.setInput(key, { isRefused: true });
      }
      throw error;
    }
  }

  #fail(problem: Problem): void {
    const place = placeOf(problem, undefined);
    this.#store.set({ problem: { ...problem, place: place === "job" ? "files" : place } });
  }

  #forget(key: number): void {
    this.#uploads.get(key)?.abort.abort(new DOMException("The upload was canceled.", "AbortError"));
    this.#uploads.delete(key);
  }
}

/** Returns the operation that newcomers most likely want: a PDF cannot be converted to PDF. */
function suitablePath(inputs: readonly Input[]): string {
  const arePdfs = inputs.every(({ name }) => /\.pdf$/i.test(name));
  return !arePdfs ? "/pdf" : inputs.length > 1 ? "/merged-pdf" : "/compressed-pdf";
}

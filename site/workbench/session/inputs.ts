// Adds, stores, orders and removes the inputs of the next job. Records errors that the service reports for them.

import { countText } from "../model/format.ts";
import { isAboutFile, type Problem, problemTarget } from "../model/problems.ts";
import type { StoredInfo } from "../model/responses.ts";
import type { Input, Stored } from "../model/state.ts";
import type { Store } from "../model/store.ts";
import { isLocked } from "./faults.ts";
import { infoOf, RequestError, remove, upload, uploadFrom, urlOf } from "./service.ts";

/** Minimum upload progress between two updates of the page, as a fraction of the file. */
const SHOWN_STEP = 0.01;
/** Maximum number of files whose number of pages is requested when results are used as inputs. */
const MAX_DESCRIBED = 20;

/**
 * Reports whether a fetched file can be a web page. The media type decides; for ambiguous types, the file name decides.
 */
const mayBeWebPage = ({ type, name }: StoredInfo): boolean =>
  /^text\/html\b/.test(type) ||
  (/^(text\/|application\/(octet-stream|xml|json)\b)/.test(type) &&
    !/\.(?!(?:[sx]?html?|php|aspx?|jsp)$)[a-z][a-z0-9]{1,4}$/i.test(name));

/** A field for further files. */
interface FileField {
  /** See {@link placeOf}. */
  readonly place: string;
  /** True if there can be several files. */
  readonly list?: true | undefined;
}

export class Inputs {
  readonly #store: Store;
  readonly #uploads = new Map<number, { readonly abort: AbortController; readonly done: Promise<void> }>();
  #nextKey = 1;

  constructor(store: Store) {
    this.#store = store;
  }

  /** @param of the field to which the files belong. @default the files are main inputs */
  addFiles(files: readonly File[], of?: FileField): void {
    this.#add(
      files.map((file) => ({ name: file.name, file })),
      of,
    );
    this.storeEarly();
  }

  /**
   * Stores files and fetches URLs before a job needs them. Does nothing until the service's description is loaded and,
   * in the keyed variant, a key is entered.
   */
  storeEarly(): void {
    const { service, apiKey } = this.#store.state;
    if (!service || (service.keyed && apiKey === "")) return;
    void this.storeAll().catch(() => {});
    for (const input of this.#store.inputs) {
      const { key, url, id, problem, isFetchedLater } = input;
      if (url === undefined || id !== undefined || problem || isFetchedLater || this.#uploads.has(key)) continue;
      void this.#begin(input, (signal) => this.#fetch(input, signal)).catch(() => {});
    }
  }

  addAddress(url: string, of?: FileField): void {
    this.#add([{ name: url, url }], of);
    this.storeEarly();
  }

  /** Adds a stored file. The file is not deleted when its row is removed. */
  async addStored(id: string, of: FileField): Promise<void> {
    const info = await infoOf(id);
    this.#add([{ name: info?.name ?? id, id, isResult: true, ...(info ? { info } : {}) }], of);
  }

  /** Adds a sample document. */
  async addSample(name: string): Promise<void> {
    const response = await fetch(urlOf(`workbench/${name}`)).catch(() => undefined);
    if (!response?.ok)
      return this.#fail({ status: response?.status ?? 0, sentence: "The sample could not be loaded." });
    this.addFiles([new File([await response.blob()], name)]);
  }

  /** Replaces all inputs by stored files, such as results. */
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

  /** Restores the inputs after a reload. */
  restore(inputs: readonly Input[], further: readonly Input[] = []): void {
    const withKey = (input: Input): Input => ({ ...input, key: this.#nextKey++ });
    this.#store.set({ inputs: inputs.map(withKey), further: further.map(withKey) });
  }

  /** Removes inputs, and deletes their stored files. Does not delete files that are results. */
  remove(...keys: readonly number[]): void {
    const removed = this.#store.inputs.filter(({ key }) => keys.includes(key));
    for (const key of keys) this.#forget(key);
    this.#store.set({
      inputs: this.#store.state.inputs.filter(({ key }) => !keys.includes(key)),
      further: this.#store.state.further.filter(({ key }) => !keys.includes(key)),
      announcement:
        removed.length === 1
          ? `${removed[0]!.name} was removed.`
          : `${countText(removed.length, "file")} were removed.`,
    });
    if (this.#store.state.problem?.place === "files") this.#store.clear("problem");
    for (const { id, isResult, pdf } of removed) {
      if (id !== undefined && !isResult) this.#discard(id);
      if (pdf) this.#discard(pdf.id);
    }
  }

  /** Moves an input to another position. A position outside the list becomes the first or last position. */
  move(key: number, to: number): void {
    const { inputs } = this.#store.state;
    const moved = inputs.find((input) => input.key === key);
    if (!moved) return;
    const index = Math.max(0, Math.min(to, inputs.length - 1));
    const others = inputs.filter((input) => input !== moved);
    this.#store.set({
      inputs: others.toSpliced(index, 0, moved),
      announcement: `${moved.name} is now number ${index + 1} of ${inputs.length}.`,
    });
  }

  /** Sorts the inputs by name in natural order: `2` is before `10`. */
  sortByName(): void {
    const { compare } = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
    const inputs = this.#store.state.inputs.toSorted((one, other) => compare(one.name, other.name));
    this.#store.set({ inputs, announcement: `The files are sorted by name, from ${inputs[0]?.name}.` });
  }

  reverse(): void {
    const inputs = this.#store.state.inputs.toReversed();
    this.#store.set({ inputs, announcement: `The order is reversed. ${inputs[0]?.name} is first.` });
  }

  choose(key: number): void {
    this.#store.set({ chosen: key });
  }

  setPages(key: number, pages: string): void {
    this.#store.setInput(key, { pages });
  }

  /**
   * Stores all files that are not stored yet.
   * @throws RequestError if a file cannot be stored
   */
  async storeAll(): Promise<void> {
    const waiting = this.#store.inputs.filter(({ file, id, problem }) => file && id === undefined && !problem);
    await Promise.all(waiting.map((input) => this.#stored(input)));
  }

  /** Stores the file of an input, unless it is already stored. @throws RequestError if the file cannot be stored */
  async storeOne(key: number): Promise<void> {
    const input = this.#store.inputs.find((input) => input.key === key);
    if (!input?.file || input.id !== undefined) return;
    // The service has rejected the file, and would reject it again.
    if (input.problem) throw new RequestError(input.problem);
    await this.#stored(input);
  }

  /** Aborts all uploads. The files remain in the list, and are stored when a job needs them. */
  abortUploads(): void {
    for (const key of [...this.#uploads.keys()]) {
      this.#forget(key);
      this.#store.setInput(key, { sent: 0 });
    }
  }

  #add(added: readonly (Pick<Input, "name"> & Partial<Input>)[], of?: FileField): void {
    const inputs = added.map((input) => ({ isResult: false, pages: "all", ...input, key: this.#nextKey++ }));
    const names = inputs.map(({ name }) => name).join(", ");
    const { inputs: before, further, path, isPathChosen } = this.#store.state;
    if (of) {
      // If the field is not a list, the new file replaces the previous one.
      if (!of.list) this.remove(...further.filter(({ field }) => field === of.place).map(({ key }) => key));
      const files = inputs.map((input) => ({ ...input, field: of.place }));
      const announcement = `Added ${names}.`;
      this.#store.set({ further: [...this.#store.state.further, ...files], announcement });
      return;
    }
    this.#store.set({
      inputs: [...before, ...inputs],
      path: isPathChosen || before.length > 0 ? path : suitablePath(inputs),
      announcement: `Added ${names}.`,
    });
    if (this.#store.state.problem?.place === "files") this.#store.clear("problem");
  }

  #stored(input: Input): Promise<void> {
    return this.#uploads.get(input.key)?.done ?? this.#begin(input, (signal) => this.#send(input, signal));
  }

  #begin({ key }: Input, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const abort = new AbortController();
    const done = work(abort.signal).finally(() => {
      // If the upload was aborted, a new upload of the same file might have started.
      if (this.#uploads.get(key)?.abort === abort) this.#uploads.delete(key);
    });
    this.#uploads.set(key, { abort, done });
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
      if (info) this.#learn(key, { info });
    } catch (error) {
      this.#store.setInput(key, { sent: 0 });
      if (error instanceof RequestError && !signal.aborted) this.#refuse(key, error.problem);
      throw error;
    }
  }

  /**
   * Fetches and stores the file at a URL. If the URL refers to a web page, or the type of the file is unknown, the job
   * itself fetches the URL later.
   */
  async #fetch({ key, url }: Input, signal: AbortSignal): Promise<void> {
    this.#store.setInput(key, { isRefused: false });
    try {
      const id = await uploadFrom(url!, { key: this.#store.state.apiKey, signal });
      const info = await infoOf(id);
      const isFetchedLater = info === undefined || mayBeWebPage(info);
      if (isFetchedLater || signal.aborted) this.#discard(id);
      if (!signal.aborted) this.#learn(key, isFetchedLater ? { isFetchedLater } : { id, info });
    } catch (error) {
      const isKnown = error instanceof RequestError && [400, 401, 403, 413, 422].includes(error.problem.status);
      if (isKnown && !signal.aborted) this.#refuse(key, error.problem);
    }
  }

  /**
   * Records information from the service about an input. If it contains an error, announces the error to screen
   * readers.
   */
  #learn(key: number, changes: Partial<Input>): void {
    this.#store.setInput(key, changes);
    const sentence = changes.problem?.sentence ?? changes.info?.problem;
    const input = this.#store.inputs.find((input) => input.key === key);
    if (sentence === undefined) return;
    const isOpenable = input && isLocked(input);
    this.#store.set({
      announcement: `${input?.name} ${isOpenable ? "needs a password." : `cannot be used. ${sentence}`}`,
    });
  }

  #refuse(key: number, problem: Problem): void {
    if (isAboutFile(problem)) {
      this.#learn(key, { problem });
    } else {
      this.#fail(problem);
      this.#store.setInput(key, { isRefused: true });
    }
  }

  #discard(id: string): void {
    void remove(id, this.#store.state.apiKey).catch(() => {});
  }

  #fail(problem: Problem): void {
    const place = problemTarget(problem, undefined);
    this.#store.set({ problem: { ...problem, place: place === "job" ? "files" : place } });
  }

  #forget(key: number): void {
    this.#uploads.get(key)?.abort.abort(new DOMException("The upload was canceled.", "AbortError"));
    this.#uploads.delete(key);
  }
}

/** Returns the operation that is selected by default for these inputs. For PDFs, it is not `/pdf`. */
function suitablePath(inputs: readonly Input[]): string {
  const arePdfs = inputs.every(({ name }) => /\.pdf$/i.test(name));
  return !arePdfs ? "/pdf" : inputs.length > 1 ? "/merged-pdf" : "/compressed-pdf";
}

// Starts the selected engines of an instance one after the other, and reports their states.

import { ENGINE_NAMES, ENGINE_TITLES, type EngineName } from "../engine-selection.ts";
import { Chromium } from "../engines/chromium/chromium.ts";
import type { WebProxySettings } from "../engines/chromium/network/web-proxy.ts";
import { type Ghostscript, startGhostscript } from "../engines/ghostscript/ghostscript.ts";
import { PdfRewriter } from "../engines/ghostscript/pdf.ts";
import { type LibreOffice, startLibreOffice } from "../engines/libreoffice/libreoffice.ts";
import { Mustang } from "../engines/mustang/mustang.ts";
import { Poppler } from "../engines/poppler/poppler.ts";
import { Tesseract } from "../engines/tesseract/tesseract.ts";
import { startVeraPdf, type VeraPdf } from "../engines/verapdf/verapdf.ts";
import { WebFiles } from "../engines/web/web-files.ts";
import { WebPosts } from "../engines/web/web-posts.ts";
import { WebRequests } from "../engines/web/web-requests.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import type { Engines } from "../operations/native.ts";
import { warmUp, warmUpThread } from "../operations/warm-up.ts";
import { treeOf } from "../processes/proc.ts";
import { EngineLost } from "../processes/retry.ts";
import { missingParts, type SandboxPart } from "../processes/sandbox.ts";
import type { Scratch } from "../scratch/scratch.ts";
import type { EngineState } from "../supervision/engine-state.ts";
import { Threads } from "../threads/threads.ts";
import { ManagedEngine } from "./managed-engine.ts";
import { StartOrder } from "./start-order.ts";

export interface RunningEnginesSettings {
  readonly scratch: Scratch;
  readonly selected: ReadonlySet<EngineName>;
  /** Number of concurrent quick jobs per operation. */
  readonly jobs: number;
  /** Number of documents that an engine can have open concurrently, in quick and slow jobs together. */
  readonly children: number;
  readonly web: WebProxySettings;
  /** False if each document has a renderer of its own. */
  readonly sharesRenderers: boolean;
  log(message: string, details?: Record<string, unknown>): void;
}

export class RunningEngines implements Engines {
  readonly office: ManagedEngine<LibreOffice>;
  readonly ghostscript: ManagedEngine<Ghostscript>;
  readonly chromium: ManagedEngine<Chromium>;
  readonly verapdf: ManagedEngine<VeraPdf>;
  readonly rewriter: PdfRewriter;
  readonly mustang: Mustang;
  readonly poppler: Poppler;
  readonly tesseract: Tesseract;
  readonly threads: Threads;
  readonly web: WebFiles;
  readonly posts: WebPosts;
  readonly heapLimitBytes: number = CONTAINER_LIMITS.threadHeapBytes;
  readonly #settings: RunningEnginesSettings;
  readonly #order = new StartOrder();
  readonly #missing = missingParts();
  /** Aborted when the engines are closed. */
  readonly #closing = new AbortController();
  readonly #places = {
    // Order in which engines start while no job waits for them. LibreOffice is first, because it starts slowest and is
    // used most. veraPDF is last, because its start takes the most CPU time and it is used least.
    office: this.#order.register(),
    threads: this.#order.register(),
    ghostscript: this.#order.register(),
    chromium: this.#order.register(),
    verapdf: this.#order.register(),
    thread: this.#order.register(),
    pdfa: this.#order.register(),
  };

  constructor(settings: RunningEnginesSettings) {
    this.#settings = settings;
    const { scratch, jobs, children, web, sharesRenderers, log } = settings;
    this.rewriter = new PdfRewriter(scratch);
    this.mustang = new Mustang({ scratch });
    this.poppler = new Poppler(scratch);
    this.tesseract = new Tesseract({ scratch, processes: jobs });
    const requests = new WebRequests(web);
    this.web = new WebFiles(requests);
    this.posts = new WebPosts(requests);
    this.threads = new Threads({ size: jobs, heapMiB: 512, log });
    this.office = new ManagedEngine({
      ...{ name: ENGINE_TITLES.office, startHandle: this.#places.office, log },
      start: () => startLibreOffice({ scratch, children, log }),
    });
    this.ghostscript = new ManagedEngine({
      ...{ name: ENGINE_TITLES.ghostscript, startHandle: this.#places.ghostscript, log },
      start: () => startGhostscript({ scratch, children, log }),
    });
    this.chromium = new ManagedEngine({
      ...{ name: ENGINE_TITLES.chromium, startHandle: this.#places.chromium, log },
      start: () => Chromium.start({ scratch, ready: jobs + 1, web, sharesRenderers, log }),
    });
    this.verapdf = new ManagedEngine({
      ...{ name: ENGINE_TITLES.verapdf, startHandle: this.#places.verapdf, log },
      start: () => startVeraPdf({ scratch, processes: jobs, log }),
    });
  }

  /** Starts the selected engines one after the other, but immediately if a job waits for the engine. */
  start(): void {
    const { selected } = this.#settings;
    for (const name of ENGINE_NAMES) if (name !== "threads" && selected.has(name)) this[name].start();
    if (selected.has("threads")) {
      void this.#places.threads.run(() => this.threads.warm());
      this.#warmUpThread().catch((error) => this.#settings.log("thread warm-up failed", { error: String(error) }));
    }
    if (selected.has("verapdf")) {
      this.#warmUpPdfa().catch((error) => this.#settings.log("pdfa warm-up failed", { error: String(error) }));
    }
    this.#order.open();
  }

  /** From now on, starts an engine only if a job waits for it. */
  holdStarts(): void {
    this.#order.close();
  }

  get states(): Readonly<Record<EngineName, EngineState>> {
    const stateOf = (name: EngineName): EngineState => {
      const { state } = this[name];
      return state === "off" && this.#settings.selected.has(name) ? "starting" : state;
    };
    return Object.fromEntries(ENGINE_NAMES.map((name) => [name, stateOf(name)])) as Record<EngineName, EngineState>;
  }

  /**
   * Probes an engine.
   * @throws Error if the engine fails its probe or is not running
   * @throws the signal's reason when aborted
   */
  async prove(name: EngineName, signal: AbortSignal): Promise<void> {
    const engine = name === "threads" ? this.threads : this[name].current;
    if (!engine) throw new EngineLost("it is not running");
    await engine.prove(signal);
  }

  /** Restarts an engine that runs, but fails its probes. */
  replace(name: EngineName, reason: string): void {
    this.#settings.log("engine replaced", { engine: ENGINE_TITLES[name], reason });
    if (name === "threads") void this.threads.replace();
    else this[name].current?.replace(reason);
  }

  /** Returns the IDs of an engine's running processes. Threads have no separate process. */
  processesOf(name: EngineName): number[] {
    if (name === "threads") return [];
    if (name === "verapdf") return treeOf(this.verapdf.current?.pids ?? []);
    const pid = this[name].current?.pid;
    return pid === undefined ? [] : treeOf([pid]);
  }

  /** Returns the missing parts of an engine's sandbox (SECURITY.md). */
  async lacks(name: EngineName): Promise<readonly SandboxPart[]> {
    if (name === "threads") return [];
    const missing = await this.#missing;
    if (name !== "chromium") return missing;
    const { network, sandbox } = this.chromium.current?.confinement ?? { network: "namespace", sandbox: true };
    // Landlock is not used for Chromium.
    return [
      ...missing.filter((part) => part !== "landlock"),
      ...(network === "flags" ? ["network" as const] : []),
      ...(sandbox ? [] : ["sandbox" as const]),
    ];
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.threads[Symbol.asyncDispose]();
    await Promise.all([this.office, this.chromium, this.ghostscript, this.verapdf].map((engine) => engine.close()));
  }

  /** Warms up a thread, unless a job does so by arriving. */
  async #warmUpThread(): Promise<void> {
    await this.#places.thread.run(async () => {
      if (this.threads.isUsed || this.#closing.signal.aborted) return;
      await using folder = await this.#settings.scratch.folder("job");
      await warmUpThread(this, folder.path, this.#closing.signal);
    });
  }

  /** Warms up PDF/A conversion last. Skips it if a job has already requested the validator. */
  async #warmUpPdfa(): Promise<void> {
    const validator = await this.verapdf.running;
    await this.#places.pdfa.run(async () => {
      if (this.verapdf.isRequested || this.#closing.signal.aborted) return;
      await using folder = await this.#settings.scratch.folder("job");
      const { threads, rewriter, heapLimitBytes } = this;
      await warmUp({ threads, rewriter, heapLimitBytes, validator }, folder.path, this.#closing.signal);
    });
  }
}

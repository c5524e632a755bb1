// Keeps one Chromium running for all jobs. After many jobs, a new browser takes its place, and the old one finishes its
// pages.

import { EngineFailure } from "../../../src/document/contract/failure.ts";
import { untilAborted } from "../../../src/runtime/until-aborted.ts";
import { CONTAINER_LIMITS } from "../../limits.ts";
import { countEvent } from "../../supervision/engine-events.ts";
import type { EngineState } from "../../supervision/engine-state.ts";
import { Restarter } from "../../supervision/restarter.ts";
import { Browser, type BrowserSettings, RETIRED } from "./browser.ts";
import { type LaunchSettings, launchChromium } from "./launch.ts";
import type { Confinement } from "./network/confinement.ts";

export type SupplySettings = Omit<LaunchSettings, "signal"> & Omit<BrowserSettings, "onLost">;

/** Number of jobs after which a browser is replaced, to free its accumulated memory. */
const JOBS_PER_BROWSER = 500;
/** Age from which the death of an idle browser counts as a new fault. The backoff then starts again. */
const SOUND_AFTER_MS = 10_000;
/** Backoff between failed starts. */
const FAILED = { minBackoffMs: 100, maxBackoffMs: 10_000 };
/** Backoff while one browser after another dies without having run a job. */
const UNUSED = { minBackoffMs: 100, maxBackoffMs: 1_000 };
/** Maximum wait of a job for a browser, if the last start failed. */
const FAILING_PATIENCE_MS = 1_500;

export class BrowserManager {
  readonly #settings: SupplySettings;
  readonly #keeper: Restarter<Browser>;
  /** Aborted when the manager is closed. */
  readonly #closing = new AbortController();
  /** The confinement that worked at the first start. */
  #confinement: Confinement | undefined;
  /** Browsers that have not ended. */
  readonly #browsers = new Set<Browser>();
  /** Launches that have not finished. */
  readonly #launches = new Set<Promise<Browser>>();
  /** The most recent browser, which might have exited. */
  #last: { readonly browser: Browser; readonly since: number } | undefined;
  /** Delay before the next start, if the current browser dies without having run a job. */
  #pauseMs = 0;
  /** Message of the last failed start, to log a repeated failure only once. */
  #failure: string | undefined;
  #isRecycling = false;

  constructor(settings: SupplySettings) {
    this.#settings = settings;
    this.#confinement = settings.confinement;
    this.#keeper = new Restarter({
      start: () => this.#launch(),
      started: (browser) => this.#serve(browser),
      failed: (error) => this.#failed(error as Error),
      end: async (browser) => browser.kill("closed"),
    });
    void this.#keeper.start({ ...FAILED, initialDelayMs: 0 });
  }

  /** The first browser. Undefined if it did not start; the start is then retried. */
  get first(): Promise<Browser | undefined> {
    return this.#keeper.next.catch(() => undefined);
  }

  /** Confinement of the browsers; undefined until one has started. */
  get confinement(): Confinement | undefined {
    return this.#confinement;
  }

  get state(): EngineState {
    if (this.#keeper.failure) return "failed";
    return this.#keeper.current === undefined ? "starting" : "warm";
  }

  /** The browser that takes jobs, if there is one. */
  get current(): Browser | undefined {
    return this.#keeper.current;
  }

  get pid(): number | undefined {
    return this.#last?.browser.chromium.process.pid;
  }

  /** Returns a running browser. @throws EngineFailure `busy` if none starts in time */
  async acquire(): Promise<Browser> {
    const since = performance.now();
    for (;;) {
      // A start that fails during the wait shortens it.
      const leftMs = Math.max(0, Math.ceil(since + this.#patienceMs() - performance.now()));
      if (this.#closing.signal.aborted) throw new EngineFailure("busy", "closing");
      const { current, next } = this.#keeper;
      const browser = current ?? (await untilAborted(next, AbortSignal.timeout(leftMs)).catch(() => undefined));
      if (browser?.check()) {
        if (browser.used >= JOBS_PER_BROWSER) this.#recycle(browser);
        return browser;
      }
      if (leftMs > 0) continue;
      const cause = this.#keeper.failure ?? new Error("it takes too long");
      throw new EngineFailure("busy", `Chromium cannot be started: ${cause.message}`, { cause });
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("closing"));
    await this.#keeper.close();
    await Promise.allSettled(this.#launches);
    for (const browser of this.#browsers) browser.kill("closed");
    await Promise.all([...this.#browsers].map(({ ended }) => ended));
  }

  #patienceMs(): number {
    if (this.#keeper.failure === undefined) return CONTAINER_LIMITS.browserStartMs;
    return this.#keeper.pauseMs > FAILING_PATIENCE_MS ? 0 : FAILING_PATIENCE_MS;
  }

  #failed(error: Error): Error {
    if (this.#failure !== error.message) {
      this.#settings.log("engine not started", { engine: "Chromium", error: error.message });
    }
    this.#failure = error.message;
    return error;
  }

  #serve(browser: Browser): void {
    this.#failure = undefined;
    this.#last = { browser, since: performance.now() };
    // The browser might have exited before it was ready.
    if (browser.isGone) this.#bury(browser, "it ended as it began");
  }

  #launch(): Promise<Browser> {
    const launched = this.#launchOne();
    this.#launches.add(launched);
    launched.catch(() => {}).finally(() => this.#launches.delete(launched));
    return launched;
  }

  async #launchOne(): Promise<Browser> {
    const { signal } = this.#closing;
    const launched = await launchChromium({ ...this.#settings, confinement: this.#confinement, signal });
    const end = () => void launched.end();
    signal.addEventListener("abort", end, { once: true });
    try {
      const onLost = (browser: Browser, reason: string) => this.#bury(browser, reason);
      const browser = await Browser.start(launched, { ...this.#settings, onLost });
      this.#browsers.add(browser);
      void browser.ended.then(() => this.#browsers.delete(browser));
      this.#confinement = { network: launched.network, sandbox: launched.sandbox };
      return browser;
    } catch (error) {
      await launched.end();
      throw error;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** Starts another browser, unless it has been started already. */
  #bury(browser: Browser, reason: string): void {
    if (this.#closing.signal.aborted || reason === RETIRED || !this.#keeper.clear(browser)) return;
    const isSound = browser.used > 0 || performance.now() - this.#last!.since > SOUND_AFTER_MS;
    const initialDelayMs = isSound ? 0 : this.#pauseMs;
    countEvent("Chromium", "restart");
    const { exitCode, signalCode } = browser.chromium.process;
    if (exitCode === null && signalCode === null) countEvent("Chromium", "kill");
    this.#settings.log("engine ended", {
      engine: "Chromium",
      reason,
      pauseMs: initialDelayMs,
      stderr: browser.chromium.lastWords().slice(-500),
    });
    this.#pauseMs = Math.min(Math.max(2 * initialDelayMs, UNUSED.minBackoffMs), UNUSED.maxBackoffMs);
    void this.#keeper.start({ ...FAILED, initialDelayMs });
  }

  /** Starts the next browser before the current one stops accepting jobs. */
  #recycle(old: Browser): void {
    if (this.#isRecycling) return;
    this.#isRecycling = true;
    this.#launch()
      .then((browser) => {
        if (browser.isGone) return;
        // If the old browser has died meanwhile, its replacement is already starting.
        if (this.#keeper.current !== old) return browser.retire();
        this.#keeper.replace(browser);
        old.retire();
      })
      .catch((error: Error) => this.#settings.log("engine not started", { engine: "Chromium", error: error.message }))
      .finally(() => {
        this.#isRecycling = false;
      });
  }
}

// Keeps one Chromium running for all jobs: starts it, replaces it when it has died or has worked for long, and keeps
// retrying while none can be started. Knows no job.

import { setTimeout as sleep } from "node:timers/promises";
import { EngineFailure } from "../../../src/core/failure.ts";
import { untilAborted } from "../../processes/until-aborted.ts";
import { Browser, type BrowserSettings, RETIRED } from "./browser.ts";
import { type Confinement, type LaunchSettings, launchChromium } from "./launch.ts";

export type SupplySettings = Omit<LaunchSettings, "signal"> & Omit<BrowserSettings, "gone">;

/** Jobs after which another browser takes over, which frees what the browser has accumulated. */
const JOBS_PER_BROWSER = 500;
/** Age after which a browser's death counts as a new fault, as it also does once the browser has had work. */
const SOUND_AFTER_MS = 10_000;
const FIRST_PAUSE_MS = 100;
/** Longest pause before a browser is started again: after one that ran, and after those that did not start. */
const LONGEST_PAUSE_MS = { started: 1_000, failed: 10_000 };
/** Maximum wait of a job for a browser that is starting, and for one after others that did not start. */
const START_PATIENCE_MS = 45_000;
const FAILING_PATIENCE_MS = 1_500;

export class BrowserSupply {
  readonly #settings: SupplySettings;
  readonly #closing = new AbortController();
  /** Confinement that worked at the first start. */
  #confinement: Confinement | undefined;
  /** Browsers that have not ended. */
  readonly #browsers = new Set<Browser>();
  /** Launches that have not finished. */
  readonly #launches = new Set<Promise<Browser>>();
  #current: Promise<Browser>;
  /** Browser for new jobs; it may have died. */
  #serving: Browser | undefined;
  #since = 0;
  #pauseMs = 0;
  /** Failure of the last start. */
  #failure: Error | undefined;
  #isRecycling = false;

  constructor(settings: SupplySettings) {
    this.#settings = settings;
    this.#confinement = settings.confinement;
    this.#current = this.#replace();
  }

  /** The first browser, or undefined if it did not start, which is then retried. */
  get first(): Promise<Browser | undefined> {
    return this.#current.catch(() => undefined);
  }

  /** Confinement of the browsers; undefined until one has started. */
  get confinement(): Confinement | undefined {
    return this.#confinement;
  }

  /** Network confinement, or `starting` or `failed` while there is no browser. */
  get mode(): string {
    if (this.#failure) return "failed";
    return this.#serving === undefined || this.#serving.isGone ? "starting" : (this.#confinement?.network ?? "");
  }

  get pid(): number | undefined {
    return this.#serving?.chromium.process.pid;
  }

  /** Returns a living browser. @throws EngineFailure `busy` if none starts in time */
  async living(): Promise<Browser> {
    const since = performance.now();
    for (;;) {
      // A start that fails meanwhile shortens the wait.
      const leftMs = Math.max(0, Math.ceil(since + this.#patienceMs() - performance.now()));
      if (this.#closing.signal.aborted) throw new EngineFailure("busy", "closing");
      const browser = await untilAborted(this.#current, AbortSignal.timeout(leftMs)).catch(() => undefined);
      if (browser?.check()) {
        if (browser.used >= JOBS_PER_BROWSER) this.#recycle();
        return browser;
      }
      if (leftMs > 0) continue;
      const cause = this.#failure ?? new Error("it takes too long");
      throw new EngineFailure("busy", `Chromium cannot be started: ${cause.message}`, { cause });
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("closing"));
    await Promise.allSettled([this.#current, ...this.#launches]);
    for (const browser of this.#browsers) browser.kill("closed");
    await Promise.all([...this.#browsers].map(({ ended }) => ended));
  }

  #patienceMs(): number {
    if (this.#failure === undefined) return START_PATIENCE_MS;
    return this.#pauseMs > FAILING_PATIENCE_MS ? 0 : FAILING_PATIENCE_MS;
  }

  /** Starts a replacement. Its failure is reported to those who wait for it, and retries continue for later jobs. */
  #replace(): Promise<Browser> {
    const { signal } = this.#closing;
    const launched = sleep(this.#pauseMs, undefined, { ref: false, signal }).then(() => this.#launch());
    launched.then(
      (browser) => {
        if (this.#current === launched) this.#serve(browser);
      },
      (error: Error) => {
        if (signal.aborted || this.#current !== launched) return;
        if (this.#failure?.message !== error.message) {
          this.#settings.log("Chromium: it cannot be started", { error: error.message });
        }
        this.#failure = error;
        this.#lengthenPause(LONGEST_PAUSE_MS.failed);
        this.#current = this.#replace();
      },
    );
    return launched;
  }

  #serve(browser: Browser): void {
    this.#serving = browser;
    this.#since = performance.now();
    this.#failure = undefined;
    // The browser may have died before it was serving.
    if (browser.isGone) this.#bury(browser, "it ended as it began");
  }

  #lengthenPause(longestMs: number): void {
    this.#pauseMs = Math.min(Math.max(this.#pauseMs * 2, FIRST_PAUSE_MS), longestMs);
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
      const gone = (browser: Browser, why: string) => this.#bury(browser, why);
      const browser = await Browser.start(launched, { ...this.#settings, gone });
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

  /** Replaces the serving browser; any other has been replaced already. */
  #bury(browser: Browser, why: string): void {
    if (browser !== this.#serving || this.#closing.signal.aborted || why === RETIRED) return;
    const isSound = browser.used > 0 || performance.now() - this.#since > SOUND_AFTER_MS;
    if (isSound) this.#pauseMs = 0;
    this.#settings.log("Chromium: the browser ended and is started again", {
      why,
      pauseMs: this.#pauseMs,
      stderr: browser.chromium.lastWords().slice(-500),
    });
    this.#current = this.#replace();
    this.#lengthenPause(LONGEST_PAUSE_MS.started);
  }

  /** Starts the next browser before the current one stops taking work. */
  #recycle(): void {
    if (this.#isRecycling) return;
    this.#isRecycling = true;
    const next = this.#launch();
    next
      .then((browser) => {
        if (browser.isGone) return;
        const previous = this.#current;
        this.#current = next;
        this.#serve(browser);
        previous.then((old) => old.retire()).catch(() => {});
      })
      .catch((error: Error) => this.#settings.log("Chromium: it cannot be started", { error: error.message }))
      .finally(() => {
        this.#isRecycling = false;
      });
  }
}

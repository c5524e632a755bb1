// Keeps one Chromium running for all jobs: starts it, replaces it when it has died or has worked for long, and goes on trying while
// none can be started. Knows no job.

import { setTimeout as sleep } from "node:timers/promises";
import { EngineFailure } from "../../src/operations/operation.ts";
import { untilAborted } from "../until-aborted.ts";
import { Browser, type BrowserSettings, RETIRED } from "./chromium-browser.ts";
import { type Confinement, type LaunchSettings, launchChromium } from "./chromium-launch.ts";

export type SupplySettings = Omit<LaunchSettings, "signal"> & Omit<BrowserSettings, "gone">;

/** Then another browser takes its place: what it has gathered is given back. */
const JOBS_PER_BROWSER = 500;
/** A browser that lived this long, or has had work, died of something new. */
const SOUND_AFTER_MS = 10_000;
const FIRST_PAUSE_MS = 100;
/** Before a browser is started again: after one that ran, and after those that did not start. */
const LONGEST_PAUSE_MS = { started: 1_000, failed: 10_000 };
/** How long a job waits for a browser that starts, and for one after others that did not start. */
const START_PATIENCE_MS = 45_000;
const FAILING_PATIENCE_MS = 1_500;

export class BrowserSupply {
  readonly #settings: SupplySettings;
  readonly #closing = new AbortController();
  /** What worked at the start. */
  #confinement: Confinement | undefined;
  /** Those that have not ended. */
  readonly #browsers = new Set<Browser>();
  /** Those that have not begun yet. */
  readonly #launches = new Set<Promise<Browser>>();
  #current: Promise<Browser>;
  /** What new jobs get; it may have died. */
  #serving: Browser | undefined;
  #since = 0;
  #pauseMs = 0;
  /** Why the last browser did not start. */
  #failure: Error | undefined;
  #isRecycling = false;

  constructor(settings: SupplySettings) {
    this.#settings = settings;
    this.#confinement = settings.confinement;
    this.#current = this.#replace();
  }

  /** The first browser, or nothing where it did not start; it is tried again then. */
  get first(): Promise<Browser | undefined> {
    return this.#current.catch(() => undefined);
  }

  /** How far browsers are shut in; undefined until one has started. */
  get confinement(): Confinement | undefined {
    return this.#confinement;
  }

  /** How its network is confined; `starting` or `failed` while there is none. */
  get mode(): string {
    if (this.#failure) return "failed";
    return this.#serving === undefined || this.#serving.isGone ? "starting" : (this.#confinement?.network ?? "");
  }

  get pid(): number | undefined {
    return this.#serving?.chromium.process.pid;
  }

  /** @throws EngineFailure `busy` where none starts in time */
  async living(): Promise<Browser> {
    const since = performance.now();
    for (;;) {
      // A start that fails meanwhile shortens it.
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

  /** Whoever waits for it is told when it fails; it goes on trying for those who come later. */
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
    // It may have died in the meantime, when it was not yet serving.
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

  /** Only who serves is replaced: another one has been replaced already. */
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

  /** The next browser is ready before the one at present gets no more work. */
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

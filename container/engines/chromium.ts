// Web pages and HTML to PDF: keeps one warm Chromium, replaces it when it has died or has worked for long, and gives every job a
// page and a way to the web of its own. It knows no HTTP server, and nothing of how many jobs the service lets in.

import { setTimeout as sleep } from "node:timers/promises";
import { EngineFailure, OutOfRange } from "../../src/operations/operation.ts";
import type { Scratch } from "../process.ts";
import { Browser, BrowserGone, RETIRED } from "./chromium-browser.ts";
import { type Confinement, launchChromium } from "./chromium-launch.ts";
import { LedAstray, NetworkGone } from "./chromium-loading.ts";
import { type PageLimits, type PrintOptions, printPage } from "./chromium-page.ts";
import type { WatchLimits } from "./chromium-watch.ts";
import { DOCUMENT_HOST, type ServedDocument, type VisitLimits, WebProxy, type WebProxySettings } from "./web-proxy.ts";

/** What is printed. */
export type Source =
  | { readonly url: string }
  | {
      readonly document: ServedDocument;
      /** Whether it seems to have no script and nothing that waits to be seen. @default false */
      readonly isStill?: boolean;
    };

export interface ChromiumSettings {
  readonly scratch: Scratch;
  /** How many pages are kept ready. @default 3 */
  readonly ready?: number;
  readonly web?: WebProxySettings;
  /** How far browsers are shut in. @default as far as this machine allows */
  readonly confinement?: Confinement;
  readonly limits?: Partial<ChromiumLimits>;
  log(message: string, details?: Record<string, unknown>): void;
}

export interface ChromiumLimits extends PageLimits, VisitLimits, WatchLimits {}

const DEFAULTS: ChromiumLimits = {
  parseMs: 45_000,
  settleMs: 15_000,
  answerMs: 15_000,
  printMs: 75_000,
  fileBytes: 2 ** 30,
  bytes: 2 ** 28,
  requests: 5_000,
  rendererBytes: 1.5 * 2 ** 30,
  browserBytes: 4 * 2 ** 30,
};

/** Then another browser takes its place: what it has gathered is given back. */
const JOBS_PER_BROWSER = 500;
/** A browser whose network process ended has another one after so long, or after a few times that. */
const NETWORK_BACK_MS = 500;
const NETWORK_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/** A browser that lived this long died of something new. */
const SOUND_AFTER_MS = 10_000;

export class Chromium implements AsyncDisposable {
  readonly #settings: ChromiumSettings;
  readonly #limits: ChromiumLimits;
  readonly #proxy: WebProxy;
  /** What worked at the start. */
  #confinement: Confinement | undefined;
  /** Those that have not ended. */
  readonly #browsers = new Set<Browser>();
  #current: Promise<Browser>;
  #pid: number | undefined;
  #since = 0;
  #pauseMs = 0;
  #isRecycling = false;
  #closed = false;

  private constructor(settings: ChromiumSettings) {
    this.#settings = settings;
    this.#limits = { ...DEFAULTS, ...settings.limits };
    this.#proxy = new WebProxy(settings.web ?? {});
    this.#confinement = settings.confinement;
    this.#current = this.#launch();
  }

  /** @throws Error where Chromium cannot be started, or the allow-list is none */
  static async start(settings: ChromiumSettings): Promise<Chromium> {
    const chromium = new Chromium(settings);
    const { network, sandbox, version, startMs } = (await chromium.#current).chromium;
    settings.log("Chromium: warm", { network, sandbox, version, startMs, pid: chromium.pid });
    if (network === "flags") settings.log("Chromium: no network namespace here, its own flags keep it to the proxy");
    if (!sandbox) settings.log("Chromium: no user namespace here, its renderers are not in its sandbox");
    return chromium;
  }

  /** How far browsers are shut in; undefined until one has started. */
  get confinement(): Confinement | undefined {
    return this.#confinement;
  }

  /** How its network is confined, or nothing while there is none. */
  get mode(): string {
    return this.confinement?.network ?? "";
  }

  /** Of the browser at present. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /**
   * Prints a page.
   * @param outputPath written when the PDF is complete
   * @throws EngineFailure unreachable, not-a-web-page, timed-out, too-large, too-complex, crashed, busy
   * @throws OutOfRange for `url`, where it leads to a place that may not be visited
   * @throws the signal's reason when aborted
   */
  async printToPdf(source: Source, outputPath: string, options: PrintOptions, signal?: AbortSignal): Promise<void> {
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    aborted.catch(() => {});
    const abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      signal?.throwIfAborted();
      await this.#attempts(source, outputPath, options, aborted);
    } catch (error) {
      if (error instanceof BrowserGone || error instanceof NetworkGone) {
        throw new EngineFailure("crashed", error.message, { cause: error });
      }
      if (!(error instanceof LedAstray)) throw error;
      if ("url" in source) throw new OutOfRange("url", source.url);
      throw new EngineFailure("unreachable", error.message, { cause: error });
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#current.catch(() => {});
    for (const browser of this.#browsers) browser.kill("closed");
    await Promise.all([...this.#browsers].map(({ ended }) => ended));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** A job begins anew once where its browser died, and a few times until a browser has its network again. */
  async #attempts(source: Source, outputPath: string, options: PrintOptions, aborted: Promise<never>): Promise<void> {
    const left = { browser: 1, network: NETWORK_ATTEMPTS };
    for (;;) {
      try {
        return await this.#attempt(source, outputPath, options, aborted);
      } catch (error) {
        const isNetwork = error instanceof NetworkGone;
        if (!isNetwork && !(error instanceof BrowserGone)) throw error;
        if (left[isNetwork ? "network" : "browser"]-- === 0) throw error;
        this.#settings.log("Chromium: a job begins anew, because its browser died", { reason: error.message });
        if (isNetwork) await Promise.race([aborted, sleep(NETWORK_BACK_MS)]);
      }
    }
  }

  async #attempt(source: Source, outputPath: string, options: PrintOptions, aborted: Promise<never>): Promise<void> {
    const browser = await Promise.race([this.#living(), aborted]);
    if (browser.used >= JOBS_PER_BROWSER) this.#recycle(browser);
    await using page = await browser.lease();
    const { promise: exceeded, reject: exceed } = Promise.withResolvers<never>();
    exceeded.catch(() => {});
    const visit = this.#proxy.visit({
      limits: this.#limits,
      document: "document" in source ? source.document : undefined,
      exceeded: (what) => exceed(new EngineFailure("too-large", `the page wants more than ${what}`)),
    });
    page.visit(visit);
    const place =
      "url" in source
        ? { url: source.url, isStill: false }
        : { url: `http://${DOCUMENT_HOST}/`, isStill: source.isStill ?? false };
    const isRefused = (place: string) => visit.isRefused(place);
    const { version } = browser.chromium;
    const printed = printPage(page, place, outputPath, options, this.#limits, version, isRefused);
    printed.catch(() => {});
    await Promise.race([aborted, exceeded, printed]).catch((error: unknown) => {
      // A page may be out of reach because a process of the browser's is gone.
      if (error instanceof EngineFailure && error.reason === "unreachable" && !browser.check()) {
        throw new BrowserGone(error.message, { cause: error });
      }
      throw error;
    });
  }

  async #living(): Promise<Browser> {
    if (this.#closed) throw new EngineFailure("busy", "closing");
    const browser = await this.#current.catch((cause: Error) => {
      throw new EngineFailure("busy", `Chromium cannot be started: ${cause.message}`, { cause });
    });
    return browser.isGone ? this.#living() : browser;
  }

  async #launch(): Promise<Browser> {
    const { scratch, ready = 3, log } = this.#settings;
    const launched = await launchChromium(scratch, this.#confinement);
    this.#confinement = { network: launched.network, sandbox: launched.sandbox };
    const gone = (browser: Browser, why: string) => void this.#bury(browser, why);
    const settings = { proxy: this.#proxy, ready, limits: this.#limits, gone, log };
    const browser = await Browser.start(launched, settings).catch(async (error: unknown) => {
      await launched.end();
      throw error;
    });
    this.#browsers.add(browser);
    this.#pid = launched.process.pid;
    this.#since = performance.now();
    return browser;
  }

  async #bury(browser: Browser, why: string): Promise<void> {
    if (!this.#browsers.has(browser)) return;
    void browser.ended.then(() => this.#browsers.delete(browser));
    if (this.#closed || why === RETIRED) return;
    this.#settings.log("Chromium: the browser ended and is started again", {
      why,
      pauseMs: this.#pauseMs,
      stderr: browser.chromium.lastWords().slice(-500),
    });
    this.#current = this.#relaunch();
  }

  /** Whoever waits for it is told when it fails; it goes on trying for those who come later. */
  #relaunch(): Promise<Browser> {
    if (performance.now() - this.#since > SOUND_AFTER_MS) this.#pauseMs = 0;
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(Math.max(pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    const launched = sleep(pauseMs, undefined, { ref: false }).then(() => this.#launch());
    launched.catch((error: Error) => {
      if (this.#closed) return;
      this.#settings.log("Chromium: it cannot be started", { error: error.message });
      this.#current = this.#relaunch();
    });
    return launched;
  }

  /** The next browser is ready before this one gets no more work. */
  #recycle(browser: Browser): void {
    if (this.#isRecycling) return;
    this.#isRecycling = true;
    const next = this.#launch();
    next
      .then(() => {
        this.#current = next;
        browser.retire();
      })
      .catch((error: Error) => this.#settings.log("Chromium: it cannot be started", { error: error.message }))
      .finally(() => {
        this.#isRecycling = false;
      });
  }
}

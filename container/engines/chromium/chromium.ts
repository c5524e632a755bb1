// Converts web pages and HTML to PDF. Each job has its own page and its own access to the web. A job whose browser
// processes are lost is retried.

import { setTimeout as sleep } from "node:timers/promises";
import { EngineFailure, OutOfRange } from "../../../src/document/contract/failure.ts";
import { LIMITS } from "../../../src/document/contract/limits.ts";
import { NOT_PUBLIC } from "../../../src/document/contract/web-url.ts";
import { untilAborted } from "../../../src/runtime/until-aborted.ts";
import { type FontSubstitutions, NO_SUBSTITUTIONS } from "../../fonts/substitutions.ts";
import { CONTAINER_LIMITS } from "../../limits.ts";
import { registerWorker } from "../../processes/priority.ts";
import { EngineLost, finalFailure, withRetries } from "../../processes/retry.ts";
import type { Scratch } from "../../scratch/scratch.ts";
import type { EngineState } from "../../supervision/engine-state.ts";
import type { Browser } from "./browser.ts";
import { BrowserManager } from "./browser-manager.ts";
import { BrowserLost, NetworkLost, RendererLost } from "./errors.ts";
import { NavigationBlocked } from "./loading.ts";
import type { Confinement } from "./network/confinement.ts";
import { DOCUMENT_HOST, type ServedDocument, type ServedFiles } from "./network/served-files.ts";
import { type VisitLimits, WebProxy, type WebProxySettings } from "./network/web-proxy.ts";
import { type PrintOptions, printPage } from "./page.ts";
import { type PictureOptions, takePicture } from "./picture.ts";
import { ProtocolError } from "./pipe.ts";
import type { KeptPage } from "./visit/kept-response.ts";
import type { LeasedPage, PageLimits, PageSetting } from "./visit/page-setting.ts";
import type { WatchLimits } from "./watchdog.ts";

/** The page to print: the URL of a web page, or an uploaded document. */
export type PageSource =
  | {
      readonly url: string;
      /** The responses of the URL, if they are known. @default the browser requests the URL */
      readonly kept?: KeptPage;
    }
  | {
      readonly document: ServedDocument;
      /** The files to which it refers. @default none */
      readonly files?: ServedFiles;
      /** True if the document seems to have no script, and no content that loads only when visible. @default false */
      readonly isStill?: boolean;
      /**
       * The client, if the document is static: it then shares a renderer with other static documents of the client.
       * @default a renderer of its own
       */
      readonly sharedBy?: string;
    };

export interface ChromiumSettings {
  readonly scratch: Scratch;
  /** Number of pages that are kept ready. @default 3 */
  readonly ready?: number;
  readonly web?: WebProxySettings;
  /** False if each static document has a renderer of its own, too. @default true */
  readonly sharesRenderers?: boolean;
  /** Confinement of the browsers. @default the strongest that this machine allows */
  readonly confinement?: Confinement;
  /** Candidate paths of the program. @default Debian's paths */
  readonly programs?: readonly string[];
  readonly limits?: Partial<ChromiumLimits>;
  log(message: string, details?: Record<string, unknown>): void;
}

export interface ChromiumLimits extends PageLimits, VisitLimits, WatchLimits {}

const DEFAULTS: ChromiumLimits = {
  parseMs: CONTAINER_LIMITS.pageParseMs,
  settleMs: CONTAINER_LIMITS.pageSettleMs,
  conditionMs: LIMITS.pageWaitMs,
  answerMs: CONTAINER_LIMITS.pageResponseMs,
  printMs: CONTAINER_LIMITS.pagePrintMs,
  fileBytes: CONTAINER_LIMITS.pageFileBytes,
  bytes: CONTAINER_LIMITS.pageTrafficBytes,
  requests: CONTAINER_LIMITS.pageRequests,
  rendererBytes: CONTAINER_LIMITS.rendererBytes,
  browserBytes: CONTAINER_LIMITS.browserBytes,
};

/** Usual time in which a browser replaces its dead network process. Sometimes it takes several times longer. */
const NETWORK_BACK_MS = 500;
/** Number of retries after each kind of loss. */
const RETRIES = { browser: 1, renderer: 1, network: 6 };
/**
 * Maximum wait for the cause of a failed command. The browser reports the death of a process only after the failures
 * that this death causes.
 */
const REASON_COMES_MS = 1_000;

export class Chromium implements AsyncDisposable {
  readonly #settings: ChromiumSettings;
  readonly #limits: ChromiumLimits;
  readonly #proxy: WebProxy;
  readonly #supply: BrowserManager;

  private constructor(settings: ChromiumSettings) {
    this.#settings = settings;
    this.#limits = { ...DEFAULTS, ...settings.limits };
    this.#proxy = new WebProxy(settings.web ?? {});
    this.#supply = new BrowserManager({ ready: 3, ...settings, limits: this.#limits, proxy: this.#proxy });
  }

  /**
   * Resolves once the browser is warm, or once its first start has failed; the start is then retried. @throws Error for
   * an invalid allow-list
   */
  static async start(settings: ChromiumSettings): Promise<Chromium> {
    const chromium = new Chromium(settings);
    const first = await chromium.#supply.first;
    if (first === undefined) return chromium;
    const { network, sandbox, version, startMs } = first.chromium;
    settings.log("chromium warmed", { network, sandbox, version, startMs, pid: chromium.pid });
    if (network === "flags") settings.log("chromium started without network namespace");
    if (!sandbox) settings.log("chromium started without sandbox");
    return chromium;
  }

  /** Confinement of the browsers; undefined until one has started. */
  get confinement(): Confinement | undefined {
    return this.#supply.confinement;
  }

  get state(): EngineState {
    return this.#supply.state;
  }

  /** Version of the current browser. */
  get version(): string | undefined {
    return this.#supply.current?.chromium.version;
  }

  /** Process ID of the current browser. */
  get pid(): number | undefined {
    return this.#supply.pid;
  }

  /**
   * Prints a page.
   * @param outputPath path of the PDF, which is written only when it is complete
   * @returns the fonts that the browser replaced, if the job has fonts of its own
   * @throws EngineFailure `unreachable`, `not-a-web-page`, `timed-out`, `too-large`, `too-complex`, `crashed`, `busy`
   * (no browser starts, or the browser was lost twice)
   * @throws OutOfRange for `url`, if it leads to a host that must not be visited
   * @throws the signal's reason when aborted
   */
  async printToPdf(
    source: PageSource,
    outputPath: string,
    options: PrintOptions,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<FontSubstitutions> {
    let replaced = NO_SUBSTITUTIONS;
    const work: Job["work"] = async (page, setting) => {
      replaced = await printPage(page, { ...setting, outputPath, options });
    };
    await this.#run({ source, signal, work });
    return replaced;
  }

  /**
   * Takes a picture of a page.
   * @param outputPath path of the picture, which is written only when it is complete
   * @throws EngineFailure, OutOfRange for the reasons of {@link printToPdf}; `too-complex` for too many pixels;
   *   OutOfRange for `selector` if there is no such element
   */
  async takePicture(
    source: PageSource,
    outputPath: string,
    options: PictureOptions,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<void> {
    await this.#run({
      source,
      signal,
      work: (page, setting) => takePicture(page, { ...setting, outputPath, options }),
    });
  }

  async #run(job: Job): Promise<void> {
    const { source, signal } = job;
    try {
      // Rejects immediately on abort, whatever the job is waiting for. The job releases each resource as soon as it
      // receives it.
      await untilAborted(this.#attempts(job), signal);
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(error, source);
    }
  }

  /** Tests that the browser's pages respond. @throws Error if they do not respond, or if no browser is running */
  async prove(signal: AbortSignal): Promise<void> {
    const { current } = this.#supply;
    if (!current?.check()) throw new EngineLost("no browser runs");
    await untilAborted(current.prove(), signal);
  }

  /** Kills a browser that fails its probes, so that another one starts. */
  replace(reason: string): void {
    this.#supply.current?.kill(reason);
  }

  async close(): Promise<void> {
    await this.#supply.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * Tries a shared page first. Retries a job once if its browser died, once if its renderer died, and several times if
   * the network was lost.
   */
  async #attempts(job: Job): Promise<void> {
    const { source, signal } = job;
    const sharedBy = "document" in source ? source.sharedBy : undefined;
    if (sharedBy !== undefined && this.#settings.sharesRenderers !== false) {
      try {
        return await this.#attempt(job, { sharedBy });
      } catch (error) {
        signal.throwIfAborted();
        this.#settings.log("job retried", { engine: "Chromium", lost: "shared renderer", error: String(error) });
      }
    }
    const onRetry = async (error: unknown, lost: keyof typeof RETRIES) => {
      this.#settings.log("job retried", { engine: "Chromium", lost, error: String(error) });
      if (lost === "network") await sleep(NETWORK_BACK_MS, undefined, { signal: job.signal });
    };
    await withRetries({ retries: RETRIES, kindOf: lossOf, onRetry }, (left) =>
      this.#attempt(job, { fresh: left.renderer === 0 }),
    );
  }

  async #attempt({ source, work: run, signal }: Job, lease: Parameters<Browser["lease"]>[0]): Promise<void> {
    const isStatic = lease.sharedBy !== undefined;
    const browser = await untilAborted(this.#supply.acquire(), signal);
    await using page = await browser.lease(lease);
    using work = new DisposableStack();
    work.defer(registerWorker(() => page.lower()));
    const { promise: exceeded, reject: exceed } = Promise.withResolvers<never>();
    exceeded.catch(() => {});
    const visit = this.#proxy.visit({
      limits: isStatic ? { ...this.#limits, requests: 1 } : this.#limits,
      ...("document" in source
        ? { document: { ...source.document, isStatic }, files: source.files }
        : { document: undefined, files: undefined }),
      exceeded: (what) => exceed(new EngineFailure("too-large", `the page requests more than ${what}`)),
    });
    page.visit(visit);
    const location =
      "url" in source
        ? { url: source.url, kept: source.kept, isUpload: false, isStill: false }
        : { url: `http://${DOCUMENT_HOST}/`, isUpload: true, isStatic, isStill: isStatic || source.isStill === true };
    const done = run(page, {
      ...{ location, limits: this.#limits, signal },
      version: browser.chromium.version,
      isRefused: (url) => visit.isRefused(url),
    });
    done.catch(() => {});
    try {
      await untilAborted(Promise.race([exceeded, done]), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ProtocolError) await Promise.race([page.failed, sleep(REASON_COMES_MS)]);
      // If a browser process has died, a page can be unreachable or fail to print for that reason.
      if (browser.check() || (error instanceof EngineFailure && OWN_FAULTS.includes(error.reason))) throw error;
      throw new BrowserLost((error as Error).message, { cause: error });
    }
    // After the loss of the network or GPU process, the PDF can lack content.
    if (!browser.check()) throw new BrowserLost("one of its processes was lost on the way");
    page.keep();
  }
}

interface Job {
  readonly source: PageSource;
  readonly signal: AbortSignal;
  work(page: LeasedPage, setting: PageSetting): Promise<void>;
}

/** Failures that only the page can cause, whatever the browser's state. */
const OWN_FAULTS: readonly string[] = ["too-large"];

function lossOf(error: unknown): keyof typeof RETRIES | undefined {
  if (error instanceof BrowserLost) return "browser";
  if (error instanceof RendererLost) return "renderer";
  return error instanceof NetworkLost ? "network" : undefined;
}

/** Returns the failure to report for a job that is not retried. */
function failureOf(error: unknown, source: PageSource): unknown {
  if (error instanceof ProtocolError) return new EngineFailure("crashed", error.message, { cause: error });
  if (lossOf(error) !== undefined) {
    const { message } = error as Error;
    const isOwnDoing = error instanceof RendererLost && error.isOwnDoing;
    return finalFailure(isOwnDoing ? new EngineFailure("crashed", message) : new EngineLost(message));
  }
  if (!(error instanceof NavigationBlocked)) return error;
  if ("url" in source) return new OutOfRange("url", source.url, NOT_PUBLIC);
  return new EngineFailure("unreachable", error.message, { cause: error });
}

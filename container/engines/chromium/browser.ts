// Manages one running Chromium and its pages. Prepares pages ahead of time. Each page has a separate context (cookies,
// cache, storage) and serves one job. Detects when the browser or a page has died, was stopped or uses too much memory.

import type { Socket } from "node:net";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import { countEvent } from "../../supervision/engine-events.ts";
import { BrowserLost, type KillRecord, RendererLost, rendererError } from "./errors.ts";
import type { LaunchedChromium } from "./launch.ts";
import type { ProxySession, WebProxy } from "./network/web-proxy.ts";
import type { Session } from "./pipe.ts";
import { runScript } from "./probe.ts";
import { killRenderer, type Renderer, Renderers } from "./renderers.ts";
import { SharedPages } from "./shared-pages.ts";
import { openBlankPage } from "./visit/blank-page.ts";
import type { LeasedPage } from "./visit/page-setting.ts";
import type { WatchLimits } from "./watchdog.ts";

export interface BrowserSettings {
  readonly proxy: WebProxy;
  /** Number of pages that are kept ready. */
  readonly ready: number;
  readonly limits: WatchLimits;
  /** Called immediately when the browser dies or is killed for any reason. */
  onLost(browser: Browser, reason: string): void;
  log(message: string, details?: Record<string, unknown>): void;
}

interface Page {
  readonly contextId: string;
  readonly targetId: string;
  session: Session;
  readonly failed: Promise<never>;
  readonly fail: (error: Error) => void;
  readonly door: { readonly proxy: string; close(): void };
  readonly renderer: Renderer;
  visit: ProxySession | undefined;
  isShown: boolean;
}

interface LeaseOptions {
  readonly fresh?: boolean;
  readonly sharedBy?: string | undefined;
}

/** Reason for the exit of a retired browser. */
export const RETIRED = "retired";

/** Intervals between checks of the processes, with and without leased pages. */
const WATCH_MS = 250;
const IDLE_WATCH_MS = 1_000;
/**
 * Time without a response or a new page after which a browser counts as hung. Long, because a healthy browser can be
 * slow on a busy machine.
 */
const HEARTBEAT_TIMEOUT_MS = 20_000;
/** Maximum attempts to create a page, because its process can die during creation. */
const MAKE_ATTEMPTS = 3;
/** Time without a new page after which an idle browser is tested by creating one. */
const PROOF_MS = 30_000;
/** Status text with which the browser reports a renderer that did not start. */
const NOT_LAUNCHED = "failed to launch";

export class Browser {
  readonly chromium: LaunchedChromium;
  readonly #settings: BrowserSettings;
  readonly #ready: Page[] = [];
  readonly #shared: SharedPages<Page>;
  readonly #pages = new Map<string, Page>();
  readonly #renderers: Renderers;
  #making: Promise<unknown> = Promise.resolve();
  #refilling: Promise<void> | undefined;
  #leased = 0;
  #used = 0;
  #loss: BrowserLost | undefined;
  #retired = false;
  #madeAt = performance.now();
  /** Rejects the page that is being created. */
  #failUnborn: ((error: Error) => void) | undefined;
  #lastKill: KillRecord = { at: Number.NEGATIVE_INFINITY, reason: "" };
  readonly #death = Promise.withResolvers<never>();
  #timer: NodeJS.Timeout | undefined;
  /** Settles when the browser's processes have exited and its files are deleted. */
  readonly ended: Promise<void>;
  #end!: () => void;

  private constructor(chromium: LaunchedChromium, settings: BrowserSettings) {
    this.chromium = chromium;
    this.#renderers = new Renderers(() => chromium.watch.renderers());
    this.#settings = settings;
    this.#shared = new SharedPages(settings.ready, (page) => this.#renew(page));
    this.#death.promise.catch(() => {});
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    chromium.process.once("exit", (code, signal) => this.#die(`it ended by ${signal ?? code}`));
    if (chromium.process.exitCode !== null || chromium.process.signalCode !== null) this.#die("it ended at once");
    const { browser } = chromium.pipe;
    browser.on("Target.targetCrashed", ({ targetId, status }) => this.#crashed(targetId, status));
    browser.on("Target.targetDestroyed", ({ targetId }) =>
      this.#pages.get(targetId)?.fail(new EngineFailure("crashed", "its page was closed")),
    );
    browser.on("Target.targetCreated", ({ targetInfo: { type, targetId, openerId } }) => {
      // Ignores a window that a page opened.
      if (type === "page" && openerId !== undefined) void browser.send("Target.closeTarget", { targetId });
    });
    this.#look();
  }

  /**
   * Starts a browser. Resolves once the first page is ready; further pages follow in the background. @throws
   * BrowserLost, ProtocolError
   */
  static async start(chromium: LaunchedChromium, settings: BrowserSettings): Promise<Browser> {
    const browser = new Browser(chromium, settings);
    const discover = { discover: true, filter: [{ type: "page" }] };
    await browser.#within(chromium.pipe.browser.send("Target.setDiscoverTargets", discover), "it tells of no page");
    browser.#keep(await browser.#make());
    browser.#look();
    void browser.#refill().catch(() => {});
    return browser;
  }

  get isGone(): boolean {
    return this.#loss !== undefined;
  }

  /** Number of pages leased so far. */
  get used(): number {
    return this.#used;
  }

  get isIdle(): boolean {
    return this.#leased === 0;
  }

  /**
   * Leases a page. @param fresh creates a new page: after the loss of a page, its cause might have affected the
   * prepared pages too @param sharedBy client of a static document, which can get a page that an earlier one had
   * @throws BrowserLost
   */
  async lease({ fresh = false, sharedBy }: LeaseOptions): Promise<LeasedPage> {
    if (this.#loss) throw this.#loss;
    this.#leased++;
    this.#schedule(WATCH_MS);
    const kept = sharedBy === undefined ? undefined : this.#shared.take(sharedBy);
    if (!kept) this.#used++;
    try {
      const page = kept ?? (fresh ? undefined : this.#ready.shift()) ?? (await this.#make());
      let isSound = false;
      let isLow = false;
      return {
        session: page.session,
        // A page's ID is the ID of its main frame.
        frameId: page.targetId,
        show: () => this.#show(page),
        failed: page.failed,
        visit: (visit) => {
          page.visit = visit;
        },
        lower: () => {
          isLow = true;
          page.renderer.lower();
        },
        keep: () => {
          isSound = !isLow;
        },
        [Symbol.asyncDispose]: () => this.#release(page, isSound ? sharedBy : undefined),
      };
    } catch (error) {
      this.#leased--;
      throw error;
    }
  }

  async #show(page: Page): Promise<void> {
    if (page.isShown) return;
    page.isShown = true;
    const { browser } = this.chromium.pipe;
    const shown = async () => {
      const { windowId } = await browser.send("Browser.getWindowForTarget", { targetId: page.targetId });
      await browser.send("Browser.setWindowBounds", { windowId, bounds: { windowState: "normal" } });
    };
    await this.#within(shown(), "it shows no page");
  }

  /** Tests that a prepared page responds, or that a page can be created. @throws Error if it cannot */
  async prove(): Promise<void> {
    const [page] = this.#ready;
    if (page) await Promise.race([runScript(page.session), page.failed]);
    else if (this.isIdle) this.#keep(await this.#make());
  }

  /** Accepts no more jobs, and exits when the current jobs have ended. */
  retire(): void {
    this.#retired = true;
    if (this.#leased === 0) this.#die(RETIRED);
  }

  /** Ends the browser at once. */
  kill(reason: string): void {
    this.#die(reason);
  }

  async #release(page: Page, sharedBy: string | undefined): Promise<void> {
    page.visit?.end();
    page.visit = undefined;
    this.#leased--;
    if (this.#loss) return;
    if (this.#retired && this.#leased === 0) return this.#die(RETIRED);
    // The session of the next document gets no event of this one.
    page.session = this.chromium.pipe.reopen(page.session, "the page was given back");
    if (sharedBy !== undefined && this.#shared.keep(sharedBy, page)) return void this.#refill().catch(() => {});
    page.fail(new EngineFailure("crashed", "it was released"));
    this.#renew(page);
  }

  async #dispose({ targetId, contextId, session, door, renderer }: Page): Promise<void> {
    const { pipe } = this.chromium;
    this.#pages.delete(targetId);
    pipe.forget(session, "the page was given back");
    door.close();
    renderer[Symbol.dispose]();
    const disposed = pipe.browser.send("Target.disposeBrowserContext", { browserContextId: contextId });
    await this.#within(disposed, "a context was not disposed of");
  }

  /**
   * Refills the prepared pages. Only one refill runs at a time, because concurrent ones would create too many pages.
   */
  #refill(): Promise<void> {
    this.#refilling ??= this.#fill().finally(() => {
      this.#refilling = undefined;
    });
    return this.#refilling;
  }

  async #fill(): Promise<void> {
    while (!this.#loss && !this.#retired && this.#ready.length < this.#settings.ready) {
      this.#keep(await this.#make());
    }
  }

  #keep(page: Page): void {
    this.#ready.push(page);
    page.failed.catch(() => this.#discard(page));
    if (this.#ready.length > this.#settings.ready) this.#renew(this.#ready.shift()!);
  }

  /** Removes a prepared page that died before its use. */
  #discard(page: Page): void {
    const index = this.#ready.indexOf(page);
    if (index < 0 || this.#loss) return;
    this.#ready.splice(index, 1);
    this.#renew(page);
  }

  /** Replaces a used page in the background. */
  #renew(page: Page): void {
    void this.#dispose(page)
      .then(() => this.#refill())
      .catch((error: unknown) => {
        if (!this.#loss) this.#settings.log("chromium page failed", { error: String(error) });
      });
  }

  /** Creates pages one at a time, because concurrent creation is not faster. @throws BrowserLost */
  #make(): Promise<Page> {
    const made = this.#making.then(() => this.#makeAtLast());
    this.#making = made.catch(() => {});
    return made;
  }

  /** Creates a page, with retries. If that fails, kills the browser, even if it still responds to commands. */
  async #makeAtLast(): Promise<Page> {
    for (let attempt = 1; ; attempt++) {
      if (this.#loss) throw this.#loss;
      try {
        const page = await this.#within(this.#makePage(), "it makes no page");
        this.#madeAt = performance.now();
        return page;
      } catch (error) {
        if (error instanceof RendererLost && attempt < MAKE_ATTEMPTS) continue;
        this.#die(`it makes no page: ${(error as Error).message}`);
      }
    }
  }

  async #makePage(): Promise<Page> {
    const { pipe, doors } = this.chromium;
    let page: Page | undefined;
    const door = await doors.open((socket: Socket) => {
      if (page?.visit) this.#settings.proxy.serve(socket, page.visit);
      else socket.destroy();
    });
    const { promise: failed, reject: fail } = Promise.withResolvers<never>();
    failed.catch(() => {});
    this.#failUnborn = fail;
    let contextId: string | undefined;
    const renderer = this.#renderers.expect();
    try {
      const context = { proxyServer: door.proxy, proxyBypassList: "<-loopback>" };
      ({ browserContextId: contextId } = await pipe.browser.send("Target.createBrowserContext", context));
      const opening = openBlankPage(this.chromium, contextId).then(async (opened) => {
        await renderer.find(opened.session);
        return opened;
      });
      const opened = await Promise.race([opening, failed]);
      page = { contextId, ...opened, failed, fail, door, renderer, visit: undefined, isShown: false };
      this.#pages.set(page.targetId, page);
      const made = page;
      made.failed.catch(() => this.#shared.remove(made) && this.#renew(made));
      return page;
    } catch (error) {
      door.close();
      renderer[Symbol.dispose]();
      if (contextId !== undefined)
        void pipe.browser.send("Target.disposeBrowserContext", { browserContextId: contextId });
      throw error;
    } finally {
      this.#failUnborn = undefined;
    }
  }

  #crashed(targetId: string, status: string): void {
    // A renderer dies with the zygote that forked it. Without a zygote, no renderer can start.
    if (!this.check()) return;
    const fail = this.#pages.get(targetId)?.fail ?? this.#failUnborn;
    if (status === NOT_LAUNCHED) this.#die("a renderer was not launched");
    else fail?.(rendererError(status, this.#lastKill));
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), ms);
    this.#timer.unref();
  }

  /** Reports whether all long-lived processes of the browser are running, and kills the browser if not. */
  check(): boolean {
    const fault = this.#loss ? undefined : this.chromium.watch.fault();
    if (fault !== undefined) this.#die(fault);
    return this.#loss === undefined;
  }

  #look(): void {
    if (this.#loss) return;
    for (const finding of this.chromium.watch.look(this.#settings.limits)) {
      this.#settings.log("chromium process killed", { ...finding });
      if (finding.what === "browser") {
        this.#die(finding.reason);
        return;
      }
      countEvent("Chromium", "kill");
      this.#lastKill = { at: performance.now(), reason: finding.reason };
      killRenderer(finding.pid);
    }
    this.#renderers.lower();
    const beat = this.chromium.pipe.browser.send("Browser.getVersion");
    this.#within(beat, "it does not answer").catch((error: Error) => this.#die(error.message));
    if (this.#leased === 0 && performance.now() - this.#madeAt > PROOF_MS) this.#prove();
    this.#schedule(this.#leased > 0 ? WATCH_MS : IDLE_WATCH_MS);
  }

  /** Tests the browser by creating a page, which replaces the oldest prepared page. */
  #prove(): void {
    this.#madeAt = performance.now();
    void this.#make()
      .then((page) => this.#keep(page))
      .catch(() => {});
  }

  /** Limits the wait for a response, and kills the browser on a timeout. @throws BrowserLost */
  async #within<T>(response: Promise<T>, reason: string): Promise<T> {
    const timer = setTimeout(() => this.#die(reason), HEARTBEAT_TIMEOUT_MS);
    timer.unref();
    return Promise.race([response, this.#death.promise]).finally(() => clearTimeout(timer));
  }

  #die(reason: string): void {
    if (this.#loss) return;
    this.#loss = new BrowserLost(`Chromium: ${reason}`);
    clearTimeout(this.#timer);
    this.#death.reject(this.#loss);
    // Pages fail first, so that callers that wait for a response receive this reason.
    for (const page of this.#pages.values()) {
      page.door.close();
      page.visit?.end();
      page.fail(this.#loss);
    }
    this.chromium.pipe.close(reason);
    this.#settings.onLost(this, reason);
    this.chromium
      .end()
      .catch((error: unknown) => this.#settings.log("chromium files left behind", { error: String(error) }))
      .finally(() => this.#end());
  }
}

// One running Chromium and its pages: some are made ahead of time, each with a context (cookies, cache, storage) of its own, each
// is used once. Knows when the browser or a page has died, was stopped or has grown too large. Knows no job.

import type { Socket } from "node:net";
import { EngineFailure } from "../../src/operations/operation.ts";
import { emulate } from "./chromium-devices.ts";
import type { LaunchedChromium } from "./chromium-launch.ts";
import { observe, QUESTIONS } from "./chromium-page-scripts.ts";
import type { Session } from "./chromium-pipe.ts";
import { Watch, type WatchLimits } from "./chromium-watch.ts";
import type { Visit, WebProxy } from "./web-proxy.ts";

/** The browser died, and with it jobs that were not to blame: another browser may do them. */
export class BrowserGone extends Error {
  override readonly name = "BrowserGone";
}

export interface BrowserSettings {
  readonly proxy: WebProxy;
  /** How many pages are kept ready. */
  readonly ready: number;
  readonly limits: WatchLimits;
  /** Called at once when the browser dies or is ended, whatever the reason. */
  gone(browser: Browser, why: string): void;
  log(message: string, details?: Record<string, unknown>): void;
}

/** A blank page in a context of its own, to be used once. */
export interface LeasedPage extends AsyncDisposable {
  readonly session: Session;
  /** Of its main frame. */
  readonly frameId: string;
  /** It is made hidden: it draws no frames, and what comes once a frame or on sight does not happen. @throws ProtocolError */
  show(): Promise<void>;
  /** Rejects when the page or the browser cannot go on: EngineFailure or {@link BrowserGone}. */
  readonly failed: Promise<never>;
  /** Lets it out to the web; without a visit nobody answers it. */
  visit(visit: Visit): void;
}

interface Page {
  readonly contextId: string;
  readonly targetId: string;
  readonly session: Session;
  readonly failed: Promise<never>;
  readonly fail: (error: Error) => void;
  readonly door: { readonly proxy: string; close(): void };
  visit: Visit | undefined;
  isShown: boolean;
}

/** Why a browser ended that was told to. */
export const RETIRED = "retired";

/** How often processes are looked at while there is work, and while there is none. */
const WATCH_MS = 250;
const IDLE_WATCH_MS = 2_000;
/** A browser that does not answer for so long is stuck. */
const HEARTBEAT_TIMEOUT_MS = 8_000;
/** After a page was ended because of its memory, what is told of a crash is told of that one. */
const MEMORY_KILL_MS = 3_000;
const CLOSE_TIMEOUT_MS = 3_000;

export class Browser {
  readonly chromium: LaunchedChromium;
  readonly #settings: BrowserSettings;
  readonly #watch: Watch;
  readonly #ready: Page[] = [];
  readonly #pages = new Map<string, Page>();
  #making: Promise<unknown> = Promise.resolve();
  #refilling: Promise<void> | undefined;
  #leased = 0;
  #used = 0;
  #gone: BrowserGone | undefined;
  #retired = false;
  #lastMemoryKill = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  /** Settles when its processes have ended and its files are gone. */
  readonly ended: Promise<void>;
  #end!: () => void;

  private constructor(chromium: LaunchedChromium, settings: BrowserSettings) {
    this.chromium = chromium;
    this.#settings = settings;
    this.#watch = new Watch(chromium.process.pid!, settings.limits);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    chromium.process.once("exit", (code, signal) => this.#die(`it ended by ${signal ?? code}`));
    const { browser } = chromium.pipe;
    browser.on("Target.targetCrashed", ({ targetId, status }) => this.#crashed(targetId, status));
    browser.on("Target.targetDestroyed", ({ targetId }) =>
      this.#pages.get(targetId)?.fail(lost("its page was closed")),
    );
    browser.on("Target.targetCreated", ({ targetInfo: { type, targetId, openerId } }) => {
      // A window that a page opened.
      if (type === "page" && openerId !== undefined) void browser.send("Target.closeTarget", { targetId });
    });
    this.#look();
  }

  /** Once it has pages ready. @throws ProtocolError */
  static async start(chromium: LaunchedChromium, settings: BrowserSettings): Promise<Browser> {
    const browser = new Browser(chromium, settings);
    await chromium.pipe.browser.send("Target.setDiscoverTargets", { discover: true, filter: [{ type: "page" }] });
    await browser.#refill();
    return browser;
  }

  get isGone(): boolean {
    return this.#gone !== undefined;
  }

  /** How many pages it has lent out so far. */
  get used(): number {
    return this.#used;
  }

  get isIdle(): boolean {
    return this.#leased === 0;
  }

  /** @throws BrowserGone */
  async lease(): Promise<LeasedPage> {
    if (this.#gone) throw this.#gone;
    this.#leased++;
    this.#used++;
    try {
      const page = this.#ready.shift() ?? (await this.#make());
      this.#schedule(WATCH_MS);
      return {
        session: page.session,
        // A page is named after its main frame.
        frameId: page.targetId,
        show: () => this.#show(page),
        failed: page.failed,
        visit: (visit) => {
          page.visit = visit;
        },
        [Symbol.asyncDispose]: () => this.#release(page),
      };
    } catch (error) {
      this.#leased--;
      throw this.#gone ?? error;
    }
  }

  async #show(page: Page): Promise<void> {
    if (page.isShown) return;
    page.isShown = true;
    const { browser } = this.chromium.pipe;
    const { windowId } = await browser.send("Browser.getWindowForTarget", { targetId: page.targetId });
    await browser.send("Browser.setWindowBounds", { windowId, bounds: { windowState: "normal" } });
  }

  /** Gets no more work, and ends when what it has is done. */
  retire(): void {
    this.#retired = true;
    if (this.#leased === 0) this.#die(RETIRED);
  }

  /** Ends it at once. */
  kill(why: string): void {
    this.#die(why);
  }

  async #release(page: Page): Promise<void> {
    page.visit?.end();
    page.fail(lost("it was given back"));
    this.#leased--;
    if (this.#gone) return;
    if (this.#retired && this.#leased === 0) return this.#die(RETIRED);
    this.#renew(page);
  }

  async #dispose({ targetId, contextId, session, door }: Page): Promise<void> {
    const { pipe } = this.chromium;
    this.#pages.delete(targetId);
    pipe.forget(session, "the page was given back");
    door.close();
    const disposed = pipe.browser.send("Target.disposeBrowserContext", { browserContextId: contextId });
    await this.#within(CLOSE_TIMEOUT_MS, disposed, "a context was not disposed of");
  }

  /** One at a time: two would make more than are wanted. */
  #refill(): Promise<void> {
    this.#refilling ??= this.#fill().finally(() => {
      this.#refilling = undefined;
    });
    return this.#refilling;
  }

  async #fill(): Promise<void> {
    while (!this.#gone && !this.#retired && this.#ready.length < this.#settings.ready) {
      const page = await this.#make();
      this.#ready.push(page);
      page.failed.catch(() => this.#discard(page));
    }
  }

  /** What died while it waited is of no use. */
  #discard(page: Page): void {
    const place = this.#ready.indexOf(page);
    if (place < 0 || this.#gone) return;
    this.#ready.splice(place, 1);
    this.#renew(page);
  }

  /** Nobody waits for this: the next job has a page already. */
  #renew(page: Page): void {
    void this.#dispose(page)
      .then(() => this.#refill())
      .catch((error: unknown) => {
        if (!this.#gone) this.#settings.log("Chromium: no page was made", { error: String(error) });
      });
  }

  /** One at a time: two are not ready earlier than one. */
  #make(): Promise<Page> {
    const made = this.#making.then(() => this.#makePage());
    this.#making = made.catch(() => {});
    return made;
  }

  async #makePage(): Promise<Page> {
    const { pipe, doors } = this.chromium;
    if (this.#gone) throw this.#gone;
    let page: Page | undefined;
    const door = await doors.open((socket: Socket) => {
      if (page?.visit) this.#settings.proxy.serve(socket, page.visit);
      else socket.destroy();
    });
    const { browserContextId: contextId } = await pipe.browser.send("Target.createBrowserContext", {
      proxyServer: door.proxy,
      proxyBypassList: "<-loopback>",
    });
    void pipe.browser.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId: contextId });
    const { targetId } = await pipe.browser.send("Target.createTarget", {
      url: "about:blank",
      browserContextId: contextId,
      // What nobody sees is not drawn.
      windowState: "minimized",
    });
    const { sessionId } = await pipe.browser.send("Target.attachToTarget", { targetId, flatten: true });
    const { promise: failed, reject: fail } = Promise.withResolvers<never>();
    failed.catch(() => {});
    const session = pipe.session(sessionId);
    page = { contextId, targetId, session, failed, fail, door, visit: undefined, isShown: false };
    this.#pages.set(targetId, page);
    emulate(session, "desktop", this.chromium.version);
    const source = `(${observe})(${JSON.stringify(QUESTIONS)})`;
    void session.send("Page.addScriptToEvaluateOnNewDocument", { source });
    void session.send("Network.enable", { maxTotalBufferSize: 1 });
    await session.send("Page.enable");
    return page;
  }

  #crashed(targetId: string, status: string): void {
    const page = this.#pages.get(targetId);
    if (!page) return;
    if (performance.now() - this.#lastMemoryKill < MEMORY_KILL_MS) {
      page.fail(new EngineFailure("too-large", "the page needs too much memory"));
    } else if (status === "killed") page.fail(lost("its renderer was killed"));
    // It did that to itself: out of memory, too deep, or a defect.
    else page.fail(new EngineFailure("too-complex", `its renderer crashed: ${status}`));
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), ms);
    this.#timer.unref();
  }

  /** Whether its processes are all there and at work; it is ended where they are not. */
  check(): boolean {
    this.#look();
    return this.#gone === undefined;
  }

  #look(): void {
    if (this.#gone) return;
    for (const finding of this.#watch.look()) {
      this.#settings.log("Chromium: a process is ended", { ...finding });
      if (finding.what === "browser") {
        this.#die(finding.why);
        return;
      }
      if (finding.why === "too large") this.#lastMemoryKill = performance.now();
      killProcess(finding.pid);
    }
    const beat = this.chromium.pipe.browser.send("Browser.getVersion");
    void this.#within(HEARTBEAT_TIMEOUT_MS, beat, "it does not answer").catch(() => {});
    this.#schedule(this.#leased > 0 ? WATCH_MS : IDLE_WATCH_MS);
  }

  /** What takes longer is a browser that is stuck. */
  async #within<T>(timeoutMs: number, answer: Promise<T>, why: string): Promise<T> {
    const timer = setTimeout(() => this.#die(why), timeoutMs);
    timer.unref();
    return answer.finally(() => clearTimeout(timer));
  }

  #die(why: string): void {
    if (this.#gone) return;
    this.#gone = new BrowserGone(`Chromium: ${why}`);
    clearTimeout(this.#timer);
    // Pages first: whoever waits for an answer is told what it means that there is none.
    for (const page of this.#pages.values()) {
      page.door.close();
      page.visit?.end();
      page.fail(this.#gone);
    }
    this.chromium.pipe.close(why);
    this.#settings.gone(this, why);
    this.chromium
      .end()
      .catch((error: unknown) => this.#settings.log("Chromium: files are left", { error: String(error) }))
      .finally(() => this.#end());
  }
}

const lost = (why: string) => new EngineFailure("crashed", why);

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

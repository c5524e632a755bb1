// Loads a page and tracks its progress: redirects, status and type of the response, pending requests.

import type { Protocol } from "devtools-protocol";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import { CONTAINER_LIMITS } from "../../limits.ts";
import { NetworkLost } from "./errors.ts";
import type { Session } from "./pipe.ts";

/** Media types that a browser renders as an HTML page. */
const PAGE_TYPES = ["text/html", "application/xhtml+xml"];
/** Maximum number of navigations by scripts and refreshes. The browser itself limits HTTP redirects to 20 each. */
const MAX_NAVIGATIONS = CONTAINER_LIMITS.pageNavigations;
/** Maximum delay of a refresh that is followed. A page with a longer delay is meant to be read. */
const REFRESH_WITHIN_SECONDS = 2;
/** Types of requests that might never end. A complete page does not need them. */
const ENDLESS_TYPES: readonly string[] = [
  "EventSource",
  "WebSocket",
  "Media",
  "Ping",
  "CSPViolationReport",
  "Preflight",
];
/** Time without requests after which a page counts as loaded, if its scripts made requests. */
const QUIET_MS = 500;

/** Chromium's error for a port that is reserved for another protocol. */
const UNSAFE_PORT = "net::ERR_UNSAFE_PORT";

/** Error of a browser whose network process has ended. Our proxy is always reachable, so there is no other cause. */
const PROXY_UNREACHABLE = "net::ERR_PROXY_CONNECTION_FAILED";

/** The page led to a host that must not be visited. */
export class NavigationBlocked extends Error {
  override readonly name = "NavigationBlocked";
}

export class Loading implements Disposable {
  readonly #session: Session;
  readonly #frameId: string;
  readonly #isRefused: (url: string) => boolean;
  readonly #onWay = new Set<string>();
  readonly #failure = Promise.withResolvers<never>();
  /** URL of the last requested document, after redirects. */
  #documentUrl = "";
  #documentRequest = "";
  #navigations = 0;
  #isParsed = false;
  #isLoaded = false;
  /** True while a navigation by a refresh or a script is pending. */
  #isDue = false;
  #isLeaving = false;
  /** True while a click leads to another document, which can be a file to download. */
  #isClicked = false;
  #wasScripted = false;
  #lastEventAt = 0;
  #wake: (() => void) | undefined;
  /** True once no caller is waiting. */
  #isOver = false;

  /**
   * @param frameId ID of the page's main frame
   * @param isRefused reports whether a visit to a host was refused
   */
  constructor(session: Session, frameId: string, isRefused: (url: string) => boolean) {
    this.#session = session;
    this.#frameId = frameId;
    this.#isRefused = isRefused;
    this.#failure.promise.catch(() => {});
    this.#listen();
  }

  /**
   * Rejects when there is no page to print. Errors: EngineFailure `unreachable` or `not-a-web-page`, NavigationBlocked,
   * NetworkLost.
   */
  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
  }

  /** Navigates to a URL. @throws EngineFailure `unreachable`, `not-a-web-page`; NavigationBlocked, NetworkLost */
  async navigate(url: string): Promise<void> {
    const { errorText, isDownload } = await this.#session.send("Page.navigate", { url });
    if (isDownload) throw notAWebPage("a download");
    if (errorText) throw this.#unreachable(errorText);
  }

  /** Waits until the document is parsed and no navigation to another document is pending. */
  async parsed(): Promise<void> {
    await this.#until(() => this.#isParsed && !this.#isLeaving && !this.#isDue);
  }

  /** Waits until images, styles and frames are loaded, and no request is pending. */
  async loaded(): Promise<void> {
    await this.#until(() => this.#isLoaded && !this.#isLeaving && !this.#isDue && this.#onWay.size === 0);
    while (this.#wasScripted && !this.#isOver) {
      const left = this.#lastEventAt + QUIET_MS - performance.now();
      if (left <= 0 && this.#onWay.size === 0) return;
      await new Promise((resolve) => setTimeout(resolve, Math.max(20, left)));
    }
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }

  #listen(): void {
    const session = this.#session;
    const woken = () => this.#wake?.();
    const isMain = (frameId: string | undefined) => frameId === this.#frameId;
    session.on("Page.domContentEventFired", () => {
      this.#isParsed = true;
      woken();
    });
    session.on("Page.loadEventFired", () => {
      this.#isLoaded = true;
      woken();
    });
    session.on("Page.frameNavigated", ({ frame }) => {
      if (!isMain(frame.id)) return;
      this.#isParsed = false;
      this.#isLoaded = false;
      this.#isDue = false;
      this.#isLeaving = false;
      this.#isClicked = false;
      this.#onWay.clear();
      if (frame.unreachableUrl) this.#failure.reject(this.#unreachable(frame.unreachableUrl));
      if (++this.#navigations > MAX_NAVIGATIONS) this.#failure.reject(this.#unreachable("redirected without end"));
    });
    session.on("Page.frameScheduledNavigation", ({ frameId, delay }) => {
      if (isMain(frameId) && delay <= REFRESH_WITHIN_SECONDS) this.#isDue = true;
    });
    session.on("Page.frameRequestedNavigation", ({ frameId, disposition, reason }) => {
      if (!isMain(frameId) || disposition !== "currentTab") return;
      this.#isLeaving = true;
      this.#isClicked = reason === "anchorClick";
    });
    session.on("Page.frameClearedScheduledNavigation", ({ frameId }) => {
      if (isMain(frameId)) this.#isDue = false;
      woken();
    });
    session.on("Page.frameStoppedLoading", ({ frameId }) => {
      if (!isMain(frameId) || this.#navigations === 0) return;
      // This event also arrives if a document is aborted or its script starts a download. No further events follow
      // then.
      this.#isParsed = true;
      this.#isLoaded = true;
      this.#isLeaving = false;
      woken();
    });
    session.on("Page.javascriptDialogOpening", () => {
      void session.send("Page.handleJavaScriptDialog", { accept: false });
    });
    this.#listenToNetwork(woken, isMain);
  }

  #listenToNetwork(woken: () => void, isMain: (frameId: string | undefined) => boolean): void {
    const session = this.#session;
    const ended = ({ requestId }: { requestId: string }) => {
      if (!this.#onWay.delete(requestId)) return;
      this.#lastEventAt = performance.now();
      woken();
    };
    session.on("Network.requestWillBeSent", ({ requestId, loaderId, type = "Other", request, frameId }) => {
      if (type === "Document" && isMain(frameId)) {
        this.#documentUrl = request.url;
        this.#documentRequest = requestId;
      }
      if (ENDLESS_TYPES.includes(type) || request.url.startsWith("data:")) return;
      this.#lastEventAt = performance.now();
      // The browser does not report when a worker's main script has loaded.
      const isWorker = loaderId === "";
      if (!isWorker) this.#onWay.add(requestId);
      if (isWorker || type === "XHR" || type === "Fetch" || this.#isLoaded) this.#wasScripted = true;
    });
    session.on("Network.loadingFinished", ended);
    session.on("Network.loadingFailed", (failure) => {
      // An aborted page is incomplete, so it must not be printed.
      const { requestId, canceled = false, errorText } = failure;
      if (requestId === this.#documentRequest && !canceled) this.#failure.reject(this.#unreachable(errorText));
      ended(failure);
    });
    session.on("Network.responseReceived", ({ type, frameId, response }) => {
      if (type === "Document" && isMain(frameId)) this.#judge(response);
    });
  }

  #unreachable(detail: string): Error {
    if (detail === UNSAFE_PORT || this.#isRefused(this.#documentUrl))
      return new NavigationBlocked(`${this.#documentUrl}: ${detail}`);
    if (detail === PROXY_UNREACHABLE) return new NetworkLost(detail);
    return new EngineFailure("unreachable", detail);
  }

  #judge({ status, mimeType, url, headers }: Protocol.Network.Response): void {
    // Skips error pages that the browser itself generates.
    if (!/^https?:/.test(url)) return;
    const isPage = PAGE_TYPES.includes(mimeType);
    // The page stays, because the browser is not allowed to save the file.
    if (this.#navigations > 0 && status < 400 && isDownload(headers, this.#isClicked && !isPage)) return;
    if (status >= 400) this.#failure.reject(this.#unreachable(`${url} answered ${status}`));
    else if (!isPage) this.#failure.reject(notAWebPage(`${url} is ${mimeType}`));
  }
}

/** @param isFile true for a response that the browser does not show */
const isDownload = (headers: Protocol.Network.Headers, isFile: boolean): boolean =>
  isFile ||
  Object.entries(headers).some(
    ([name, value]) => name.toLowerCase() === "content-disposition" && /^\s*attachment/i.test(value),
  );

const notAWebPage = (detail: string) => new EngineFailure("not-a-web-page", detail);

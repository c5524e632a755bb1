// Records the faults of a page that the client does not accept: errors of scripts, and resources that are missing.

import type { Protocol } from "devtools-protocol";
import { EngineFailure } from "../../../../src/document/contract/failure.ts";
import type { PageFault } from "../../../../src/document/contract/parameters/web-page.ts";
import { CONTAINER_LIMITS } from "../../../limits.ts";
import { DOCUMENT_HOST, isOwnRefusal } from "../network/served-files.ts";
import type { Session } from "../pipe.ts";

const MAX_TEXT_LENGTH = 160;
const CONTROLS = /[\p{Cc}\p{Cf}]+/gu;
const OWN_URL = `http://${DOCUMENT_HOST}/`;

/** A request of the page, as far as it is known. */
interface Observed {
  url?: string;
  isPage?: boolean;
  status?: number;
  isRefused?: boolean;
  failure?: string;
}

export class PageFaults {
  readonly #kinds: readonly PageFault[];
  readonly #requests = new Map<string, Observed>();
  #consoleError: string | undefined;

  /** Must be created before the page is loaded. @param frameId ID of the page's main frame */
  constructor(session: Session, frameId: string, kinds: readonly PageFault[] = []) {
    this.#kinds = kinds;
    if (kinds.includes("console_errors")) this.#listenToConsole(session);
    if (kinds.some((kind) => kind !== "console_errors")) this.#listenToNetwork(session, frameId);
  }

  /** @throws EngineFailure `faulty-page` with the first fault */
  check(): void {
    const fault = this.#consoleError ?? this.#requestFault();
    if (fault === undefined) return;
    const plain = fault.replaceAll(CONTROLS, " ").toWellFormed();
    const shown = plain.length > MAX_TEXT_LENGTH ? `${plain.slice(0, MAX_TEXT_LENGTH)}…` : plain;
    // The log must not contain texts of a page.
    throw new EngineFailure("faulty-page", shown.split(",", 1)[0]!, { feature: shown });
  }

  #requestFault(): string | undefined {
    for (const { url, isPage = false, status = 0, isRefused = false, failure } of this.#requests.values()) {
      if (url === undefined || isPage) continue;
      const isAnswered = status >= 400 && !isRefused;
      const kind = isAnswered ? "status_errors" : "missing_resources";
      if (!this.#kinds.includes(kind) || (status < 400 && failure === undefined)) continue;
      return `${kind}, ${shortUrl(url)} (${status >= 400 ? status : failure})`;
    }
    return undefined;
  }

  #listenToConsole(session: Session): void {
    const add = (text: string) => {
      this.#consoleError ??= `console_errors, ${text.split("\n", 1)[0]}`;
    };
    session.on("Runtime.exceptionThrown", ({ exceptionDetails: { text, exception } }) => {
      add(exception?.description ?? text);
    });
    session.on("Runtime.consoleAPICalled", ({ type, args }) => {
      if (type === "error" || type === "assert") add(textOf(args));
    });
    void session.send("Runtime.enable");
  }

  /** The browser reports the parts of a request in any order, and hides some responses from the page. */
  #listenToNetwork(session: Session, frameId: string): void {
    const observe = (requestId: string, more: Observed) => {
      if (this.#requests.size >= CONTAINER_LIMITS.pageRequests && !this.#requests.has(requestId)) return;
      this.#requests.set(requestId, { ...this.#requests.get(requestId), ...more });
    };
    session.on("Network.requestWillBeSent", ({ requestId, request: { url }, type, frameId: ofFrame }) => {
      observe(requestId, { url, isPage: type === "Document" && ofFrame === frameId });
    });
    session.on("Network.responseReceivedExtraInfo", ({ requestId, statusCode, headers }) => {
      observe(requestId, { status: statusCode, isRefused: isOwnRefusal(headers) });
    });
    session.on("Network.loadingFailed", ({ requestId, canceled = false, errorText }) => {
      if (!canceled) observe(requestId, { failure: errorText });
    });
  }
}

/** Returns the path of a file of the client, which has no address of its own, and any other URL unchanged. */
const shortUrl = (url: string): string => (url.startsWith(OWN_URL) ? url.slice(OWN_URL.length) : url);

const textOf = (args: readonly Protocol.Runtime.RemoteObject[]): string =>
  args.map(({ value, description }) => (typeof value === "string" ? value : (description ?? String(value)))).join(" ");

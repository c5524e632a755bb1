// Records the faults of a page that the client does not accept: errors of scripts, and resources that are missing.

import type { Protocol } from "devtools-protocol";
import { EngineFailure } from "../../../../src/document/contract/failure.ts";
import type { PageFault } from "../../../../src/document/contract/parameters/web-page.ts";
import { DOCUMENT_HOST, isOwnRefusal } from "../network/web-proxy.ts";
import type { Session } from "../pipe.ts";

const MAX_TEXT_LENGTH = 160;
const CONTROLS = /[\p{Cc}\p{Cf}]+/gu;
const OWN_URL = `http://${DOCUMENT_HOST}/`;

export class PageFaults {
  #first: string | undefined;

  /** Must be called before the page is loaded. */
  constructor(session: Session, frameId: string, kinds: readonly PageFault[] = []) {
    if (kinds.includes("console_errors")) this.#listenToConsole(session);
    if (kinds.includes("missing_resources") || kinds.includes("status_errors")) {
      this.#listenToNetwork(session, frameId, kinds);
    }
  }

  /** @throws EngineFailure `faulty-page` with the first fault */
  check(): void {
    if (this.#first === undefined) return;
    throw new EngineFailure("faulty-page", this.#first, { feature: this.#first });
  }

  #add(kind: PageFault, text: string): void {
    const plain = text.replaceAll(CONTROLS, " ").toWellFormed();
    this.#first ??= `${kind}, ${plain.length > MAX_TEXT_LENGTH ? `${plain.slice(0, MAX_TEXT_LENGTH)}…` : plain}`;
  }

  #listenToConsole(session: Session): void {
    session.on("Runtime.exceptionThrown", ({ exceptionDetails: { text, exception } }) => {
      this.#add("console_errors", firstLine(exception?.description ?? text));
    });
    session.on("Runtime.consoleAPICalled", ({ type, args }) => {
      if (type === "error" || type === "assert") this.#add("console_errors", firstLine(textOf(args)));
    });
    void session.send("Runtime.enable");
  }

  #listenToNetwork(session: Session, frameId: string, kinds: readonly PageFault[]): void {
    const urls = new Map<string, string>();
    session.on("Network.requestWillBeSent", ({ requestId, request: { url } }) => {
      urls.set(requestId, shortUrl(url));
    });
    session.on("Network.loadingFailed", ({ requestId, canceled = false, errorText }) => {
      const url = urls.get(requestId);
      if (!canceled && url !== undefined && kinds.includes("missing_resources")) {
        this.#add("missing_resources", `${url} (${errorText})`);
      }
    });
    session.on("Network.responseReceived", ({ type, frameId: ofFrame, response }) => {
      const { status, url } = response;
      if (status < 400 || (type === "Document" && ofFrame === frameId)) return;
      const kind = isOwnRefusal(response.headers) ? "missing_resources" : "status_errors";
      if (kinds.includes(kind)) this.#add(kind, `${shortUrl(url)} (${status})`);
    });
  }
}

/** Returns the path of a file of the client, which has no address of its own, and any other URL unchanged. */
const shortUrl = (url: string): string => (url.startsWith(OWN_URL) ? url.slice(OWN_URL.length) : url);

const firstLine = (text: string): string => text.split("\n", 1)[0]!;

const textOf = (args: readonly Protocol.Runtime.RemoteObject[]): string =>
  args.map(({ value, description }) => (typeof value === "string" ? value : (description ?? String(value)))).join(" ");

// Gives a browser the responses of a page that were received before, instead of those of its server.

import type { Protocol } from "devtools-protocol";
import type { Session } from "../pipe.ts";

/** A response on the way to a file: a redirect, or the last one without its body. */
export interface WebResponse {
  readonly url: string;
  readonly status: number;
  /** Without the headers of the connection and of the encoding. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

export interface KeptPage {
  /** The redirects, and the response of the page. */
  readonly responses: readonly WebResponse[];
  readonly body: Buffer;
}

/** The responses that a page has not yet received. */
export class KeptResponses {
  readonly #body: string;
  #responses: KeptPage["responses"];

  constructor({ responses, body }: KeptPage) {
    this.#responses = responses;
    this.#body = body.toString("base64");
  }

  get isEmpty(): boolean {
    return this.#responses.length === 0;
  }

  /**
   * Answers a request of the page, which can skip redirects that it knows from its own list of secure hosts. A request
   * to another URL ends the visit to the kept page.
   * @returns false if the server must answer
   */
  answer(session: Session, { requestId, request: { url, method } }: Protocol.Fetch.RequestPausedEvent): boolean {
    const at = method === "GET" ? this.#responses.findIndex((response) => response.url === url) : -1;
    const response = this.#responses[at];
    this.#responses = response ? this.#responses.slice(at + 1) : [];
    if (!response) return false;
    void session.send("Fetch.fulfillRequest", {
      ...{ requestId, responseCode: response.status, responseHeaders: [...response.headers] },
      ...(this.isEmpty ? { body: this.#body } : {}),
    });
    return true;
  }
}

// Fetches files from the web. Connects only to addresses that the allow list for web pages permits, also after
// redirects. Limits time, size and number of redirects.

import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { EngineFailure, OutOfRange } from "../../../src/document/contract/failure.ts";
import type { PageVisit } from "../../../src/document/contract/parameters/web-page.ts";
import { NOT_PUBLIC } from "../../../src/document/contract/web-url.ts";
import { CONTAINER_LIMITS } from "../../limits.ts";
import { AddressBlocked } from "../chromium/network/web-addresses.ts";
import type { ProxySession } from "../chromium/network/web-proxy.ts";
import { nameOf } from "./file-names.ts";
import { headersOfVisit } from "./visit-headers.ts";
import type { WebRequests } from "./web-requests.ts";

export interface WebFile {
  /** Name from Content-Disposition or the URL, not sanitized. */
  readonly name: string;
  /** Content-Type of the response; empty if absent. */
  readonly type: string;
  /** Must be read completely, or closed with `return()`. Either closes the connection. */
  readonly body: AsyncGenerator<Uint8Array>;
}

/** Number of bytes allowed for headers and compression, in addition to the file's limit. */
const BESIDE_THE_FILE_BYTES = 2 ** 20;
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308];
const FOUND: readonly (number | undefined)[] = [200, 203];
const HEADERS = { Accept: "*/*", "Accept-Encoding": "identity" };

export class WebFiles {
  readonly #requests: WebRequests;

  constructor(requests: WebRequests) {
    this.#requests = requests;
  }

  /**
   * Resolves once the server has responded with a file.
   * @param identity the cookies, the headers and the user agent to send; only the origin of the address gets the headers
   * @throws OutOfRange for `url`, if it leads to a host that is not allowed
   * @throws EngineFailure `unreachable` or `too-large`, also while the body is read
   * @throws the signal's reason when aborted
   */
  async fetch(address: string, maxBytes: number, signal: AbortSignal, identity: PageVisit = {}): Promise<WebFile> {
    const visit = this.#requests.visit({
      bytes: maxBytes + BESIDE_THE_FILE_BYTES,
      requests: CONTAINER_LIMITS.fetchRedirects + 1,
    });
    const end = () => visit.end();
    signal.addEventListener("abort", end);
    const failed = (error: unknown): never => {
      end();
      signal.removeEventListener("abort", end);
      signal.throwIfAborted();
      if (error instanceof AddressBlocked) throw new OutOfRange("url", address, NOT_PUBLIC);
      if (error instanceof EngineFailure) throw error;
      if (visit.bytes > visit.limits.bytes) throw tooLarge(maxBytes);
      throw new EngineFailure("unreachable", String(error), { cause: error });
    };
    try {
      const { url, response } = await this.#follow(new URL(address), visit, identity);
      if (Number(response.headers["content-length"]) > maxBytes) throw tooLarge(maxBytes);
      async function* body(): AsyncGenerator<Uint8Array> {
        let total = 0;
        try {
          for await (const chunk of decoded(response)) {
            total += chunk.length;
            if (total > maxBytes) throw tooLarge(maxBytes);
            yield chunk;
          }
        } catch (error) {
          failed(error);
        } finally {
          end();
          signal.removeEventListener("abort", end);
        }
      }
      const { "content-type": type = "", "content-disposition": disposition } = response.headers;
      return { name: nameOf(disposition, url, type), type, body: body() };
    } catch (error) {
      return failed(error);
    }
  }

  /** @throws AddressBlocked; any error that prevents a response with a file */
  async #follow(
    first: URL,
    visit: ProxySession,
    identity: PageVisit,
  ): Promise<{ readonly url: URL; readonly response: IncomingMessage }> {
    let url = first;
    for (;;) {
      if (!visit.enter()) throw new Error("too many redirects");
      const headers = { ...HEADERS, ...headersOfVisit(identity, { url, origin: first.origin }) };
      const request = { method: "GET", headers, answerMs: CONTAINER_LIMITS.fetchResponseMs } as const;
      const response = await this.#requests.send(url, visit, request);
      const { statusCode, headers: answered } = response;
      if (!REDIRECTS.includes(statusCode) || answered.location === undefined) {
        if (FOUND.includes(statusCode)) return { url, response };
        response.destroy();
        throw new Error(`a status of ${statusCode}`);
      }
      response.destroy();
      url = nextPlace(answered.location, url);
    }
  }
}

/** @throws AddressBlocked if `url` would not accept the new location */
function nextPlace(location: string, from: URL): URL {
  if (!URL.canParse(location, from.href)) throw new Error("a redirect without a valid Location");
  const url = new URL(location, from.href);
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  if (!isWeb || url.username !== "" || url.password !== "") throw new AddressBlocked(`a redirect to ${url.protocol}`);
  return url;
}

const tooLarge = (limitBytes: number) =>
  new EngineFailure("too-large", `a file of the web with more than ${limitBytes} bytes`, { limitBytes });

const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** Decodes the body, because some servers compress responses regardless of Accept-Encoding. */
function decoded(response: IncomingMessage): Readable {
  const coding = (response.headers["content-encoding"] ?? "").trim().toLowerCase();
  const decoder = DECODERS.get(coding)?.();
  // `pipeline` passes an error of the response to the reader of the decoder.
  return decoder ? pipeline(response, decoder, () => {}) : response;
}

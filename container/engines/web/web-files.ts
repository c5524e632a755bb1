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
import type { WebResponse } from "../chromium/visit/kept-response.ts";
import { nameOf } from "./file-names.ts";
import { KeptPages } from "./kept-pages.ts";
import { addCookies, headersOfVisit } from "./visit-headers.ts";
import type { WebRequests } from "./web-requests.ts";

export interface WebFile {
  /** Name from Content-Disposition or the URL, not sanitized. */
  readonly name: string;
  /** Content-Type of the response; empty if absent. */
  readonly type: string;
  /** All responses, in their order. */
  readonly responses: readonly WebResponse[];
  /** Must be read completely, or closed with `return()`. Either closes the connection. */
  readonly body: AsyncGenerator<Uint8Array>;
}

/** Number of bytes allowed for headers and compression, in addition to the file's limit. */
const BESIDE_THE_FILE_BYTES = 2 ** 20;
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308];
const FOUND: readonly (number | undefined)[] = [200, 203];
const HEADERS = { Accept: "*/*", "Accept-Encoding": "identity" };
/** Headers that describe the connection, or the body as it was sent. */
const OF_THE_WAY = /^(connection|content-encoding|content-length|keep-alive|trailer|transfer-encoding|upgrade)$/i;

export class WebFiles {
  readonly pages = new KeptPages();
  readonly #requests: WebRequests;

  constructor(requests: WebRequests) {
    this.#requests = requests;
  }

  /**
   * Resolves once the server has responded with a file.
   * @param identity the cookies, the headers and the user agent to send; only the origin of the address gets the headers
   * @param usual further headers, for all hosts
   * @throws OutOfRange for `url`, if it leads to a host that is not allowed
   * @throws EngineFailure `unreachable` or `too-large`, also while the body is read
   * @throws the signal's reason when aborted
   */
  async fetch(
    address: string,
    maxBytes: number,
    signal: AbortSignal,
    identity: PageVisit = {},
    usual: Readonly<Record<string, string>> = {},
  ): Promise<WebFile> {
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
      const responses: WebResponse[] = [];
      const { url, response } = await this.#follow(new URL(address), { visit, identity, usual, responses });
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
      return { name: nameOf(disposition, url, type), type, responses, body: body() };
    } catch (error) {
      return failed(error);
    }
  }

  /** @throws AddressBlocked; any error that prevents a response with a file */
  async #follow(
    first: URL,
    { visit, identity, usual, responses }: Following,
  ): Promise<{ readonly url: URL; readonly response: IncomingMessage }> {
    let url = first;
    const cookies = [...(identity.cookies ?? [])];
    for (;;) {
      if (!visit.enter()) throw new Error("too many redirects");
      const headers = {
        ...{ ...HEADERS, ...usual },
        ...headersOfVisit({ ...identity, cookies }, { url, origin: first.origin }),
      };
      const request = { method: "GET", headers, answerMs: CONTAINER_LIMITS.fetchResponseMs } as const;
      const response = await this.#requests.send(url, visit, request);
      const { statusCode, headers: answered } = response;
      responses.push({ url: url.href, status: statusCode ?? 0, headers: headersOf(response) });
      addCookies(cookies, answered["set-cookie"] ?? [], url);
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

interface Following {
  readonly visit: ProxySession;
  readonly identity: PageVisit;
  readonly usual: Readonly<Record<string, string>>;
  /** Receives the responses. */
  readonly responses: WebResponse[];
}

function headersOf({ rawHeaders }: IncomingMessage): WebResponse["headers"] {
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [{ name, value: rawHeaders[at + 1]! }] : []));
  return pairs.filter(({ name }) => !OF_THE_WAY.test(name));
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

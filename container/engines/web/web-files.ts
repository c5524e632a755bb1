// Fetches files from the web. Connects only to addresses that the gate of web pages admits, follows redirects one by
// one through the same gate, and limits time, size and redirects. Keeps nothing.

import { request as httpRequest, type IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { pipeline, type Readable, type Transform } from "node:stream";
import { connect as connectTls } from "node:tls";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { EngineFailure, OutOfRange } from "../../../src/core/failure.ts";
import { CONTAINER_LIMITS } from "../../limits.ts";
import { Refused } from "../chromium/web-addresses.ts";
import { placeOf, type Visit, WebProxy, type WebProxySettings } from "../chromium/web-proxy.ts";
import { nameOf } from "./file-names.ts";

export interface WebFile {
  /** From Content-Disposition or the path, as the server spells it. */
  readonly name: string;
  /** Content-Type as the server says it; empty if it says none. */
  readonly type: string;
  /** Must be read or returned, which closes the connection. */
  readonly body: AsyncGenerator<Uint8Array>;
}

export interface WebFilesSettings extends WebProxySettings {
  /** Certificates to trust, in PEM. @default those that Node trusts */
  readonly certificates?: string;
}

/** Room for headers and compression beside the file itself, in bytes. */
const BESIDE_THE_FILE_BYTES = 2 ** 20;
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308];
const FOUND: readonly (number | undefined)[] = [200, 203];

export class WebFiles {
  readonly #proxy: WebProxy;
  readonly #certificates: string | undefined;

  /** @throws Error for an invalid allow-list */
  constructor({ certificates, ...settings }: WebFilesSettings) {
    this.#proxy = new WebProxy(settings);
    this.#certificates = certificates;
  }

  /**
   * Resolves once the server has answered with a file.
   * @throws OutOfRange for `url`, if it leads to a place that may not be visited
   * @throws EngineFailure `unreachable`, `too-large`, from the body too
   * @throws the signal's reason when aborted
   */
  async fetch(address: string, maxBytes: number, signal: AbortSignal): Promise<WebFile> {
    const visit = this.#proxy.visit({
      limits: { bytes: maxBytes + BESIDE_THE_FILE_BYTES, requests: CONTAINER_LIMITS.fetchRedirects + 1 },
      document: undefined,
      exceeded: () => {},
    });
    const end = () => visit.end();
    signal.addEventListener("abort", end);
    const failed = (error: unknown): never => {
      end();
      signal.removeEventListener("abort", end);
      signal.throwIfAborted();
      if (error instanceof Refused) throw new OutOfRange("url", address);
      if (error instanceof EngineFailure) throw error;
      if (visit.bytes > visit.limits.bytes) throw tooLarge(maxBytes);
      throw new EngineFailure("unreachable", String(error), { cause: error });
    };
    try {
      const { url, response } = await this.#follow(new URL(address), visit);
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

  /** @throws Refused; any error that keeps a server from answering with a file */
  async #follow(first: URL, visit: Visit): Promise<{ readonly url: URL; readonly response: IncomingMessage }> {
    let url = first;
    for (;;) {
      if (!visit.enter()) throw new Error("too many redirects");
      const response = await this.#get(url, visit);
      const { statusCode, headers } = response;
      if (!REDIRECTS.includes(statusCode) || headers.location === undefined) {
        if (FOUND.includes(statusCode)) return { url, response };
        response.destroy();
        throw new Error(`a status of ${statusCode}`);
      }
      response.destroy();
      url = nextPlace(headers.location, url);
    }
  }

  async #get(url: URL, visit: Visit): Promise<IncomingMessage> {
    const { host, port } = placeOf(url);
    const socket = await visit.connect(host, port);
    const secured = url.protocol === "https:" ? this.#secured(socket, host) : socket;
    // The request reports the connection's errors, but not those after its end.
    secured.on("error", () => {});
    const outgoing = httpRequest({
      path: `${url.pathname}${url.search}`,
      headers: { Host: url.host, Accept: "*/*", "Accept-Encoding": "identity", "User-Agent": USER_AGENT },
      setHost: false,
      maxHeaderSize: CONTAINER_LIMITS.webHeaderBytes,
      createConnection: () => secured,
    });
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const timer = setTimeout(() => outgoing.destroy(new Error("no answer in time")), CONTAINER_LIMITS.fetchAnswerMs);
    outgoing.once("response", resolve);
    outgoing.on("error", reject);
    outgoing.once("close", () => reject(new Error("closed without an answer")));
    outgoing.end();
    return promise.finally(() => clearTimeout(timer));
  }

  /** Begins TLS on a connection to a checked address. The certificate must be one of the host's name. */
  #secured(socket: Socket, host: string): Socket {
    return connectTls({
      socket,
      host,
      ALPNProtocols: ["http/1.1"],
      ...(isIP(host) === 0 ? { servername: host.replace(/\.$/, "") } : {}),
      ...(this.#certificates === undefined ? {} : { ca: this.#certificates }),
    });
  }
}

const USER_AGENT = "Mozilla/5.0 (compatible; Pagewright)";

/** @throws Refused if the location is not an address that a client could have sent */
function nextPlace(location: string, from: URL): URL {
  if (!URL.canParse(location, from.href)) throw new Error("a redirect to nowhere");
  const url = new URL(location, from.href);
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  if (!isWeb || url.username !== "" || url.password !== "") throw new Refused(`a redirect to ${url.protocol}`);
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

/** Some servers compress whatever they are asked for. */
function decoded(response: IncomingMessage): Readable {
  const coding = (response.headers["content-encoding"] ?? "").trim().toLowerCase();
  const decoder = DECODERS.get(coding)?.();
  // The decoder passes on an error of the response, which its reader receives.
  return decoder ? pipeline(response, decoder, () => {}) : response;
}

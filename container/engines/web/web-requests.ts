// Sends requests to the web. Each request has a separate connection, to an address that the allow list for web pages
// permits. Follows no redirects.

import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { isIP, type Socket } from "node:net";
import { pipeline, Readable } from "node:stream";
import { connect as connectTls } from "node:tls";
import { CONTAINER_LIMITS } from "../../limits.ts";
import {
  hostAndPort,
  type ProxySession,
  type VisitLimits,
  WebProxy,
  type WebProxySettings,
} from "../chromium/network/web-proxy.ts";

export interface WebRequestsSettings extends WebProxySettings {
  /** Trusted certificates, in PEM. @default those of Node */
  readonly certificates?: string;
}

export interface WebRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  readonly headers: OutgoingHttpHeaders;
  /** @default none */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  /** Time limit for the response's headers. */
  readonly answerMs: number;
}

const USER_AGENT = "Mozilla/5.0 (compatible; Pagewright)";

export class WebRequests {
  readonly #proxy: WebProxy;
  readonly #certificates: string | undefined;

  /** @throws Error for an invalid allow-list */
  constructor({ certificates, ...settings }: WebRequestsSettings) {
    this.#proxy = new WebProxy(settings);
    this.#certificates = certificates;
  }

  /** Starts a visit. The caller must end it. */
  visit(limits: VisitLimits): ProxySession {
    return this.#proxy.visit({ limits, document: undefined, exceeded: () => {} });
  }

  /** @throws AddressBlocked if the address is blocked; lookup errors */
  admit(url: URL): Promise<void> {
    const { host, port } = hostAndPort(url);
    return this.#proxy.admit(host, port);
  }

  /**
   * Resolves when the response's headers arrive.
   * @throws AddressBlocked; any error that prevents a response
   */
  async send(url: URL, visit: ProxySession, { method, headers, body, answerMs }: WebRequest): Promise<IncomingMessage> {
    const { host, port } = hostAndPort(url);
    const socket = await visit.connect(host, port);
    const secured = url.protocol === "https:" ? this.#secured(socket, host) : socket;
    // Errors of the connection can also occur after the request has ended, when no other listener receives them.
    secured.on("error", () => {});
    const outgoing = httpRequest({
      ...{ method, path: `${url.pathname}${url.search}` },
      headers: { Host: url.host, "User-Agent": USER_AGENT, ...headers },
      setHost: false,
      maxHeaderSize: CONTAINER_LIMITS.webHeaderBytes,
      createConnection: () => secured,
    });
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const timer = setTimeout(() => outgoing.destroy(new Error("no response in time")), answerMs);
    outgoing.once("response", resolve);
    outgoing.on("error", reject);
    outgoing.once("close", () => reject(new Error("closed without a response")));
    if (body === undefined || body instanceof Uint8Array) outgoing.end(body);
    else pipeline(Readable.from(body), outgoing, () => {});
    return promise.finally(() => clearTimeout(timer));
  }

  /** Starts TLS on a connection to a checked address. The server's certificate must match the host name. */
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

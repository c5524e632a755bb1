// An HTTP proxy, the only way from a page to the web. Resolves names, checks every address, and connects to exactly the
// checked address. Each job has separate connections and limits.

import { lookup, Resolver } from "node:dns/promises";
import {
  Agent,
  type ClientRequest,
  type ClientRequestArgs,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CONTAINER_LIMITS } from "../../../limits.ts";
import { DOCUMENT_HOST, REFUSAL, type ServedDocument, type ServedFiles, servedAt } from "./served-files.ts";
import { AddressBlocked, AllowList, type DnsResolver, type PublicWeb, resolveAllowed } from "./web-addresses.ts";

export interface WebProxySettings extends PublicWeb {
  /** Rules for {@link AllowList}. @default nothing */
  readonly allow?: string;
  /** DNS servers for names that the operator's list does not contain. @default this machine's servers */
  readonly dnsServers?: readonly string[];
}

export interface VisitLimits {
  /** Maximum number of bytes, the sum over all connections and both directions. */
  readonly bytes: number;
  /** Maximum number of requests and tunnels, counted together. */
  readonly requests: number;
}

/** Policy of a sealed document: nothing beside its own styles and the images within it, and no scripts. */
const SEALED = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox";

/**
 * Policy of a static document, which must look as it does without the policy: `noscript` would appear in a sandbox
 * without scripts.
 */
const STATIC =
  "sandbox allow-scripts; script-src 'none'; object-src 'none'; frame-src 'none'; worker-src 'none'; " +
  "base-uri 'none'; form-action 'none'";

export interface VisitOptions {
  readonly limits: VisitLimits;
  readonly document: ServedDocument | undefined;
  /** The files to which the document refers. @default none */
  readonly files?: ServedFiles | undefined;
  /** Called when the page has exceeded its limits and the visit has ended. */
  exceeded(what: string): void;
}

type Connecting = (host: string, port: number, visit: ProxySession) => Promise<Socket>;

class CheckedAgent extends Agent {
  readonly #connectTo: (host: string, port: number) => Promise<Socket>;

  constructor(connectTo: (host: string, port: number) => Promise<Socket>) {
    super({
      keepAlive: true,
      maxSockets: CONTAINER_LIMITS.pageConnectionsToOne,
      maxTotalSockets: CONTAINER_LIMITS.pageConnections,
    });
    this.#connectTo = connectTo;
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    done?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    this.#connectTo(String(host), Number(port)).then(
      (socket) => done?.(null, socket),
      (error: Error) => done?.(error, undefined as never),
    );
  }
}

/** One job's access to the web. Ending the visit closes all its connections. */
export class ProxySession {
  readonly limits: VisitLimits;
  readonly document: ServedDocument | undefined;
  readonly files: ServedFiles | undefined;
  readonly #refused = new Set<string>();
  /** Connection pool that only this visit uses. */
  readonly agent: Agent;
  readonly #connectTo: Connecting;
  readonly #sockets = new Set<Socket>();
  #bytes = 0;
  #requests = 0;
  #ended = false;
  readonly #exceeded: (what: string) => void;

  /** Called only by {@link WebProxy.visit}. */
  constructor(connectTo: Connecting, { limits, document, files, exceeded }: VisitOptions) {
    this.limits = limits;
    this.document = document;
    this.files = files;
    this.#exceeded = exceeded;
    this.#connectTo = connectTo;
    this.agent = new CheckedAgent((host, port) => connectTo(host, port, this));
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Connects to a checked address of a host. @throws AddressBlocked; Error if the host cannot be reached */
  connect(host: string, port: number): Promise<Socket> {
    return this.#connectTo(host, port, this);
  }

  refuse(host: string, port: number): void {
    this.#refused.add(`${host} ${port}`);
  }

  /** Reports whether the proxy refused a request of the page to the URL's host. */
  isRefused(url: string): boolean {
    if (!URL.canParse(url)) return false;
    const { host, port } = hostAndPort(new URL(url));
    return this.#refused.has(`${host} ${port}`);
  }

  /**
   * Adds a connection to the visit, which counts its bytes and closes it at the visit's end.
   * @returns false, after closing the connection, if the visit has ended or has too many connections
   */
  add(socket: Socket): boolean {
    socket.on("error", () => {});
    if (this.#ended || this.#sockets.size >= 2 * CONTAINER_LIMITS.pageConnections) {
      socket.destroy();
      return false;
    }
    this.#sockets.add(socket);
    socket.setTimeout(CONTAINER_LIMITS.webIdleMs, () => socket.destroy());
    socket.on("data", ({ length }: Buffer) => this.#count(length));
    socket.once("close", () => this.#sockets.delete(socket));
    return true;
  }

  /** Counts a request. @returns false if the request exceeds the limits or the visit has ended */
  enter(): boolean {
    if (this.#ended) return false;
    if (++this.#requests > this.limits.requests) this.#exceed(`${this.limits.requests} requests`);
    return !this.#ended;
  }

  end(): void {
    this.#ended = true;
    this.agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.limits.bytes) this.#exceed(`${this.limits.bytes} bytes`);
  }

  #exceed(what: string): void {
    if (this.#ended) return;
    this.end();
    this.#exceeded(what);
  }
}

export class WebProxy {
  readonly #allow: AllowList;
  readonly #lookups: DnsResolver;
  readonly #visits = new WeakMap<Socket, ProxySession>();
  /** HTTP server without a listening socket. Receives connections from {@link serve}. */
  readonly #server = createServer({
    maxHeaderSize: CONTAINER_LIMITS.webHeaderBytes,
    requestTimeout: 0,
    keepAliveTimeout: CONTAINER_LIMITS.webIdleMs,
  });

  /** @throws Error for an invalid allow-list */
  constructor({ allow = "", dnsServers, ...publicWeb }: WebProxySettings) {
    this.#allow = new AllowList(allow, publicWeb);
    this.#lookups = lookups(dnsServers);
    // An error closes only the connection of its request.
    this.#server.on("request", (incoming, answer) => {
      this.#answer(incoming, answer).catch((error: unknown) => refuse(answer, error));
    });
    this.#server.on("connect", (incoming, socket, head) => {
      this.#tunnel(incoming, socket as Socket, head).catch((error: unknown) => refuseTunnel(socket, error));
    });
    this.#server.on("clientError", (_, socket) => socket.destroy());
  }

  visit(options: VisitOptions): ProxySession {
    return new ProxySession((host, port, visit) => this.#connect(host, port, visit), options);
  }

  /** @throws AddressBlocked if the host must not be visited; errors of the lookup */
  async admit(host: string, port: number): Promise<void> {
    await resolveAllowed(host, port, this.#allow, this.#lookups);
  }

  /** Serves a browser's connection. */
  serve(socket: Socket, visit: ProxySession): void {
    if (!visit.add(socket)) return;
    this.#visits.set(socket, visit);
    this.#server.emit("connection", socket);
  }

  /**
   * Handles a request whose target is an absolute URL (RFC 9112, 3.2.2). @throws any error that prevents a complete
   * response
   */
  async #answer(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const visit = this.#visits.get(incoming.socket);
    const url = URL.canParse(incoming.url ?? "") ? new URL(incoming.url!) : undefined;
    if (!visit?.enter() || url?.protocol !== "http:") throw new Unanswerable(400);
    if (visit.document?.isSealed && url.hostname !== DOCUMENT_HOST) throw new Unanswerable(403);
    if (url.hostname === DOCUMENT_HOST) await giveDocument(visit, incoming, url, answer);
    else await forward(visit, incoming, url, answer);
  }

  /**
   * Opens a tunnel (RFC 9110, 9.3.6). Once it is open, closing one end closes the other. @throws any error before that
   */
  async #tunnel(incoming: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const visit = this.#visits.get(socket);
    const place = URL.canParse(`https://${incoming.url}/`)
      ? hostAndPort(new URL(`https://${incoming.url}/`))
      : undefined;
    if (!visit?.enter() || !place) throw new Unanswerable(400);
    if (visit.document?.isSealed) throw new Unanswerable(403);
    const remote = await this.#connect(place.host, place.port, visit);
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) remote.write(head);
    await pipeline(socket, remote, socket).catch(() => {
      socket.destroy();
      remote.destroy();
    });
  }

  /** Connects to a host. @throws AddressBlocked; Error if the host cannot be reached */
  async #connect(host: string, port: number, visit: ProxySession): Promise<Socket> {
    const addresses = await resolveAllowed(host, port, this.#allow, this.#lookups).catch((error: unknown) => {
      if (error instanceof AddressBlocked) visit.refuse(host, port);
      throw error;
    });
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const socket = connect({
      // A placeholder (a reserved name, RFC 6761): `lookup` returns the checked addresses, and all of them are tried.
      host: DOCUMENT_HOST,
      port,
      autoSelectFamily: true,
      lookup: (_name, _options, done) => done(null, addresses as never),
    });
    visit.add(socket);
    const timer = setTimeout(() => socket.destroy(new Error("connection timed out")), CONTAINER_LIMITS.webConnectMs);
    socket.once("connect", () => resolve(socket));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("closed")));
    return promise.finally(() => clearTimeout(timer));
  }
}

function lookups(dnsServers: readonly string[] | undefined): DnsResolver {
  const resolver = new Resolver({ timeout: CONTAINER_LIMITS.webLookupMs, tries: 2 });
  if (dnsServers) resolver.setServers(dnsServers);
  return {
    async public(host) {
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
      if (addresses.length === 0) throw new Error(`no address for ${host}`);
      return addresses;
    },
    async allowed(host) {
      return (await lookup(host, { all: true })).map(({ address }) => address);
    },
  };
}

/** Returns the host without brackets, and the port or its default. */
export function hostAndPort({ hostname, port, protocol }: URL): { host: string; port: number } {
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || (protocol === "https:" ? 443 : 80),
  };
}

/** Returns the end-to-end headers, without hop-by-hop headers (RFC 9110, 7.6.1). */
function endToEnd(headers: IncomingHttpHeaders, host?: string): IncomingHttpHeaders {
  const named = (headers.connection ?? "").toLowerCase().split(/[\s,]+/);
  const hops = new Set([
    ...named,
    "connection",
    "proxy-connection",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "proxy-authorization",
    "transfer-encoding",
  ]);
  const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => !hops.has(name)));
  return host === undefined ? passed : { ...passed, host };
}

/** Forwards a request. @throws an error if the server's response is aborted or cannot be forwarded */
async function forward(
  visit: ProxySession,
  incoming: IncomingMessage,
  url: URL,
  answer: ServerResponse,
): Promise<void> {
  const { host, port } = hostAndPort(url);
  const outgoing = request({
    host,
    port,
    method: incoming.method,
    path: `${url.pathname}${url.search}`,
    headers: endToEnd(incoming.headers, url.host),
    setHost: false,
    maxHeaderSize: CONTAINER_LIMITS.webHeaderBytes,
    agent: visit.agent,
  });
  answer.once("close", () => outgoing.destroy());
  // pipeline() would close the browser's connection when the server's connection breaks, before an error response is
  // sent.
  incoming.pipe(outgoing);
  const response = await responseTo(outgoing);
  const status = response.statusCode ?? 0;
  if (status < LOWEST_STATUS || status > HIGHEST_STATUS) throw new Error(`a status of ${status}`);
  answer.writeHead(status, endToEnd(response.headers));
  await pipeline(response, answer);
}

/** Range of final statuses. RFC 9110, 15, defines none above 599, but clients accept higher ones. */
const LOWEST_STATUS = 200;
const HIGHEST_STATUS = 999;

/** Returns the response as a promise. An exception in a callback of the HTTP parser would end this process. */
function responseTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once("response", resolve);
    // This listener stays as long as the request exists, because a connection can fail more than once.
    outgoing.on("error", reject);
    outgoing.once("close", () => reject(new Error("closed without a response")));
  });
}

async function giveDocument(
  { document, files }: ProxySession,
  { method }: IncomingMessage,
  url: URL,
  answer: ServerResponse,
): Promise<void> {
  if (method !== "GET" || url.port !== "") throw new Unanswerable(404);
  const found = servedAt(url, document, files);
  if (!found) throw new Unanswerable(404);
  const policy = found.isSealed ? SEALED : found.isStatic ? STATIC : undefined;
  const sealed = policy === undefined ? {} : { "Content-Security-Policy": policy };
  answer.writeHead(200, { "Content-Type": found.type, "Cache-Control": "no-store", ...sealed });
  await pipeline(found.stream(), answer);
}

/** An error to which the proxy responds with a specific status. */
class Unanswerable extends Error {
  override readonly name = "Unanswerable";
  readonly status: number;
  constructor(status: number) {
    super(`answered with ${status}`);
    this.status = status;
  }
}

function statusFor(error: unknown): number {
  if (error instanceof Unanswerable) return error.status;
  return error instanceof AddressBlocked ? 403 : 502;
}

function refuse(answer: ServerResponse, error: unknown): void {
  if (answer.headersSent) answer.destroy();
  else answer.writeHead(statusFor(error), { "Content-Length": 0, [REFUSAL.name]: REFUSAL.value }).end();
}

function refuseTunnel(socket: Duplex, error: unknown): void {
  const status = statusFor(error);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}

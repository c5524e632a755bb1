// Simulates the web for tests: sites with given responses, a listener that records every visit, and a DNS server that
// lies.

import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTcpServer, isIPv4, type Socket, type Server as TcpServer } from "node:net";

export interface Site extends AsyncDisposable {
  readonly port: number;
  /** URL without a path: `http://127.0.0.1:port`. */
  readonly url: string;
}

/** @param host address to listen on. @default 127.0.0.1 */
export async function startSite(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  { port = 0, host = "127.0.0.1" } = {},
): Promise<Site> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const listening = (server.address() as { port: number }).port;
  return {
    port: listening,
    url: `http://${host}:${listening}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Starts a site whose pages are looked up by path in a map, which can change at any time. The status of any other path
 * is 404.
 */
export function startPages(pages: ReadonlyMap<string, Answer>): Promise<Site> {
  return startSite((request, response) => {
    const page = pages.get((request.url ?? "").split("?")[0]!);
    if (page) page(request, response);
    else response.writeHead(404, { "Content-Type": "text/html" }).end("<p>not here");
  });
}

/** A listener on one port of 127.0.0.1 and ::1, for TCP and UDP, that accepts everything. */
export interface Ear extends AsyncDisposable {
  readonly port: number;
  /** Number of connections and datagrams so far. */
  readonly count: number;
}

const YES = [
  "HTTP/1.1 200 OK",
  "Access-Control-Allow-Origin: *",
  "Content-Type: text/html",
  "Content-Length: 2",
  "Connection: close",
  "",
  "ok",
].join("\r\n");

export async function openEar(): Promise<Ear> {
  let count = 0;
  const open = new Set<Socket>();
  const hear = (socket: Socket) => {
    count++;
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    socket.once("data", () => socket.end(YES));
  };
  const listen = (host: string, port: number) =>
    new Promise<TcpServer>((resolve, reject) => {
      const server = createTcpServer(hear);
      server.once("error", reject);
      server.listen(port, host, () => resolve(server));
    });
  const first = await listen("127.0.0.1", 0);
  const { port } = first.address() as { port: number };
  const second = await listen("::1", port);
  const datagrams = await Promise.all(
    (["udp4", "udp6"] as const).map(
      (type) =>
        new Promise<UdpSocket>((resolve, reject) => {
          const socket = createSocket(type);
          socket.once("error", reject);
          socket.on("message", () => count++);
          socket.bind(port, type === "udp4" ? "127.0.0.1" : "::1", () => resolve(socket));
        }),
    ),
  );
  return {
    port,
    get count() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      for (const socket of datagrams) socket.close();
      await Promise.all([first, second].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

const TYPE_A = 1;
const TYPE_AAAA = 28;

/** @param answer returns the addresses of a name; called for each query */
export async function startDns(
  answer: (name: string, type: "A" | "AAAA") => readonly string[],
): Promise<AsyncDisposable & { readonly address: string }> {
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const { name, type, end } = questionOf(query);
    const kind = type === TYPE_A ? "A" : type === TYPE_AAAA ? "AAAA" : undefined;
    const addresses = kind ? answer(name, kind).filter((address) => isIPv4(address) === (kind === "A")) : [];
    const header = Buffer.from(query.subarray(0, 12));
    // RFC 1035, 4.1.1: a response without error, with one question, the given number of answers, and no other records.
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(addresses.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...addresses.map(record)]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => socket.close(resolve));
    },
  };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Returns a resource record (RFC 1035, 4.1.3). Its name refers to the question, and its time to live is 0. */
function record(address: string): Buffer {
  const bytes = isIPv4(address) ? address.split(".").map(Number) : bytesOfV6(address);
  const head = Buffer.from([0xc0, 12, 0, bytes.length === 4 ? TYPE_A : TYPE_AAAA, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  return Buffer.concat([head, Buffer.from(bytes)]);
}

function bytesOfV6(address: string): number[] {
  const host = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [left = "", right] = host.split("::");
  const words = (part: string) => (part === "" ? [] : part.split(":"));
  const missing = 8 - words(left).length - words(right ?? "").length;
  const all = right === undefined ? words(left) : [...words(left), ...Array(missing).fill("0"), ...words(right)];
  return all.flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 255]);
}

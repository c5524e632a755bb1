// Connects the web proxy to a hostile web server and a hostile browser. Whatever they send, no exception may escape
// from a connection, and no connection or timer may remain.

import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { WebProxy } from "../../container/engines/chromium/network/web-proxy.ts";
import { randomOf } from "../support/random.ts";
import { below, hostileAnswer, hostileRequest, type Random, type Spoken } from "./hostile-answers.ts";
import type { Run } from "./suite.ts";

export interface HostileServerOptions {
  /** Number of responses that the server sends. @default 100,000 */
  readonly answers?: number;
  /** @default a random seed */
  readonly seed?: number;
}

export interface HostileServerFigures {
  readonly seed: number;
  /** True if no exception escaped, and no connection or timer remains. */
  readonly passed: boolean;
  /** Number of responses that the server sent. */
  readonly answers: number;
  readonly requests: number;
  /** Counts by status in the first line that the browser received. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Exceptions that escaped a connection. */
  readonly uncaught: readonly string[];
  /** Connections and timers that remain from the run. */
  readonly left: Readonly<Record<string, number>>;
  readonly seconds: number;
}

const ANSWERS = 100_000;
/** Statuses of the server's responses and of the proxy's own. If both sides work, there are many of each. */
const KINDS_OF_STATUS = ["200", "502"];
const FEW = 100;
/** A loopback device has all of 127.0.0.0/8; nothing else listens on this address. */
const HOST = "127.0.0.9";
/** Number of concurrent pages, each with a separate visit. */
const PAGES = 24;
const BROWSER_CONNECTIONS = 8;
const REQUESTS_OF_A_PAGE = 200;
/** Time for which the browser waits for more of a response. */
const PATIENCE_MS = 300;
const LEFT_WITHIN_MS = 10_000;
const KINDS_OF_RESOURCES = ["TCPSocketWrap", "TCPServerWrap", "TCPConnectWrap", "Timeout"];

/** Runs the test and always ends everything that it started. The result reports failures. */
export async function faceHostileServer({
  answers = ANSWERS,
  seed = Math.floor(Math.random() * 2 ** 32),
}: HostileServerOptions = {}): Promise<HostileServerFigures> {
  const started = performance.now();
  const random = randomOf(seed);
  const uncaught: string[] = [];
  const note = (error: unknown) => uncaught.push(String((error as Error)?.stack ?? error));
  process.on("uncaughtException", note).on("unhandledRejection", note);
  const before = resources();
  const statuses: Record<string, number> = {};
  const server = new HostileServer(random);
  try {
    const place = `${HOST}:${await server.listen()}`;
    const proxy = new WebProxy({ allow: `${HOST}:*` });
    // On a busy machine, the browser aborts most responses, so more of them are needed.
    const isEnough = () =>
      server.given >= answers &&
      (server.given >= 4 * answers || KINDS_OF_STATUS.every((kind) => (statuses[kind] ?? 0) > FEW));
    const page = async () => {
      while (!isEnough() && uncaught.length === 0) await visitOnce(proxy, place, random, statuses);
    };
    await Promise.all(Array.from({ length: PAGES }, page));
    await server.close();
    const left = await leftovers(before);
    const requests = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    const passed = uncaught.length === 0 && Object.keys(left).length === 0;
    return { seed, passed, answers: server.given, requests, statuses, uncaught, left, seconds };
  } finally {
    process.off("uncaughtException", note).off("unhandledRejection", note);
  }
}

/** Sends one response to every request, and sometimes before a request has arrived. */
class HostileServer {
  readonly #random: Random;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  given = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#server = createServer({ noDelay: true }, (socket) => this.#serve(socket));
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, HOST, resolve));
    return (this.#server.address() as { port: number }).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    const answer = () => {
      this.given++;
      void speak(socket, hostileAnswer(this.#random));
    };
    if (this.#random() < 0.02) answer();
    socket.on("data", answer);
  }
}

/** Loads one page: a separate visit, some connections, and sometimes a disconnect during the load. */
async function visitOnce(
  proxy: WebProxy,
  place: string,
  random: Random,
  statuses: Record<string, number>,
): Promise<void> {
  const limits = { bytes: 2 ** 28, requests: 2 * REQUESTS_OF_A_PAGE };
  const visit = proxy.visit({ limits, document: undefined, exceeded: () => {} });
  const door = createServer({ noDelay: true }, (socket) => proxy.serve(socket, visit));
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const { port } = door.address() as { port: number };
  const leavesEarly = random() < 0.1;
  let left = REQUESTS_OF_A_PAGE;
  const browser = async () => {
    while (left-- > 0) {
      const status = await ask(port, hostileRequest(random, place));
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  const all = Promise.all(Array.from({ length: BROWSER_CONNECTIONS }, browser));
  if (leavesEarly) {
    await Promise.race([all, sleep(below(random, 50))]);
    visit.end();
    left = 0;
  }
  await all;
  visit.end();
  await new Promise((resolve) => door.close(resolve));
}

/** @returns the status of the first response, "nothing" if there is none, or "other" if it is invalid */
function ask(port: number, request: Spoken): Promise<string> {
  return new Promise((resolve) => {
    let heard = "";
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.on("error", () => {});
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    socket.on("data", (chunk: Buffer) => {
      if (heard.length < 100) heard += chunk.toString("latin1", 0, 100);
      // The body might never arrive, so the browser does not wait for it.
      if (chunk.length < 2 ** 16 && heard.includes("\r\n\r\n")) socket.setTimeout(PATIENCE_MS / 10);
    });
    socket.once("close", () => resolve(/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1] ?? (heard === "" ? "nothing" : "other")));
    socket.once("connect", () => void speak(socket, request));
  });
}

async function speak(socket: Socket, { chunks, ending }: Spoken): Promise<void> {
  for (const [index, chunk] of chunks.entries()) {
    if (socket.destroyed) return;
    socket.write(chunk);
    if (index + 1 < chunks.length) await sleep(0);
  }
  if (ending === "end") socket.end();
  else if (ending === "reset") socket.resetAndDestroy();
}

function resources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) {
    if (KINDS_OF_RESOURCES.includes(kind)) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

async function leftovers(before: Readonly<Record<string, number>>): Promise<Record<string, number>> {
  const since = performance.now();
  for (;;) {
    const now = Object.entries(resources()).map(([kind, count]) => [kind, count - (before[kind] ?? 0)] as const);
    const left = Object.fromEntries(now.filter(([, count]) => count > 0));
    if (Object.keys(left).length === 0 || performance.now() - since > LEFT_WITHIN_MS) return left;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** `--answers` is the number of responses that the server sends. */
export const run: Run = async ({ seed, count }) => {
  const { passed, statuses, uncaught, left, ...figures } = await faceHostileServer({
    answers: count("answers", ANSWERS),
    seed,
  });
  for (const error of uncaught) console.log(error);
  const line = [
    ...Object.entries(figures).map(([name, value]) => `${name} ${value}`),
    `uncaught ${uncaught.length}`,
    `left ${JSON.stringify(left)}`,
    `statuses ${JSON.stringify(statuses)}`,
  ].join(", ");
  return { ok: passed, line };
};

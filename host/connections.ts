// Keeps connections from filling the memory with answers that nobody takes. Node works on all requests that arrive on a
// connection, and keeps their answers until the client has taken the first (RFC 9112, 9.3.2).

import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { LIMITS } from "../src/document/contract/limits.ts";

/** Browsers and proxies send no request before the answer to the one before it. */
const WAITING = 16;

/** Limits the connections of a server, which closes others at once: each takes memory and a descriptor. */
export function limitConnections(server: Server, most: number = LIMITS.connections): void {
  server.maxConnections = most;
}

export class Connections {
  /** The requests that wait on each connection at work. */
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();
  readonly #stallMs: number;

  /** @param stallMs time in which a client must take something */
  constructor(stallMs: number = LIMITS.connectionStallMs) {
    this.#stallMs = stallMs;
  }

  /**
   * Waits until the answers to the requests before have been taken, and ends the connection if its client takes nothing
   * of this one.
   * @returns false if the connection has ended
   */
  async enter(socket: Socket, answer: ServerResponse): Promise<boolean> {
    const waiting = this.#waiting.get(socket);
    if (!waiting) this.#waiting.set(socket, []);
    else if (waiting.length < WAITING) await new Promise<void>((resolve) => waiting.push(resolve));
    else socket.destroy();
    if (socket.destroyed) return false;
    answer.once("close", () => this.#leave(socket));
    answer.setTimeout(this.#stallMs, () => {
      if (socket.writableLength > 0) socket.destroy();
    });
    return true;
  }

  #leave(socket: Socket): void {
    const waiting = this.#waiting.get(socket) ?? [];
    // Nobody waits for the answers of a connection that has ended.
    if (socket.destroyed) for (const next of waiting.splice(0)) next();
    const next = waiting.shift();
    if (next) next();
    else this.#waiting.delete(socket);
  }
}

// Limits the memory for pipelined requests. Node would handle all requests of a connection concurrently, and buffer
// each response until the client has read the earlier ones (RFC 9112, 9.3.2).

import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { LIMITS } from "../src/document/contract/limits.ts";

/**
 * Maximum number of queued requests per connection. Browsers and proxies do not pipeline: they send a request only
 * after the previous response.
 */
const WAITING = 16;

/**
 * Limits the number of connections of a server, because each needs memory and a file descriptor. Closes excess
 * connections immediately.
 */
export function limitConnections(server: Server, most: number = LIMITS.connections): void {
  server.maxConnections = most;
}

export class Connections {
  /** Queued requests of each busy connection. */
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();
  readonly #stallMs: number;

  /** @param stallMs time after which a connection is closed if its client reads nothing */
  constructor(stallMs: number = LIMITS.connectionStallMs) {
    this.#stallMs = stallMs;
  }

  /**
   * Waits until the client has read the responses to earlier requests of the connection. Closes the connection if the
   * client stops reading this response.
   * @returns false if the connection is closed
   */
  async enter(socket: Socket, response: ServerResponse): Promise<boolean> {
    const waiting = this.#waiting.get(socket);
    if (!waiting) this.#waiting.set(socket, []);
    else if (waiting.length < WAITING) await new Promise<void>((resolve) => waiting.push(resolve));
    else socket.destroy();
    if (socket.destroyed) return false;
    response.once("close", () => this.#leave(socket));
    response.setTimeout(this.#stallMs, () => {
      if (socket.writableLength > 0) socket.destroy();
    });
    return true;
  }

  #leave(socket: Socket): void {
    const waiting = this.#waiting.get(socket) ?? [];
    // If the connection is closed, its queued requests continue, and `enter` returns false.
    if (socket.destroyed) for (const next of waiting.splice(0)) next();
    const next = waiting.shift();
    if (next) next();
    else this.#waiting.delete(socket);
  }
}

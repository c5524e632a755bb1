// A client that sends or reads less than it could, on any number of connections, and returns when it is rejected.

import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Tally } from "./statistics.ts";

/** A request, and the part of its body that the client sends. */
export interface Bait {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bytes of the body that are sent; the client never sends more. @default the complete body */
  readonly sends?: Uint8Array;
  /** Rate at which the client reads the response. @default as fast as it arrives */
  readonly takesBytesPerSecond?: number;
}

/** Pause after a rejection, shorter than the Retry-After of the service. */
const AGAIN_AFTER_MS = 1_000;
const TAKES_EVERY_MS = 500;

export class IdleClient {
  readonly #url: URL;
  readonly #from: string;
  readonly #over = new AbortController();
  readonly #connections: Promise<void>[] = [];
  /** Results of requests: statuses, or broken connections. */
  readonly ends = new Tally();

  /** @param from the loopback address from which the client connects */
  constructor(url: string, from: string) {
    this.#url = new URL(url);
    this.#from = from;
  }

  /** Keeps a number of connections busy. */
  begin(count: number, bait: () => Bait): void {
    for (let each = 0; each < count; each++) this.#connections.push(this.#keep(bait));
  }

  async end(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#connections);
  }

  async #keep(bait: () => Bait): Promise<void> {
    while (!this.#over.signal.aborted) {
      this.ends.add(await this.#send(bait()));
      await sleep(AGAIN_AFTER_MS, undefined, { signal: this.#over.signal }).catch(() => {});
    }
  }

  #send({ method, path, headers = {}, sends, takesBytesPerSecond }: Bait): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { hostname, port } = this.#url;
    const options: RequestOptions = { hostname, port, method, path, localAddress: this.#from, agent: false };
    // For a Worker, this header is the client's address, as behind Cloudflare's proxy.
    const all = { ...headers, "CF-Connecting-IP": this.#from };
    const sent: ClientRequest = request({ ...options, headers: all, signal: this.#over.signal });
    sent.on("error", () => resolve("broken"));
    sent.on("response", (response) => {
      response.on("error", () => {});
      response.on("close", () => resolve(String(response.statusCode)));
      if (takesBytesPerSecond === undefined) response.resume();
      else void take(response, takesBytesPerSecond);
    });
    if (sends === undefined) sent.end();
    else sent.write(sends);
    return promise;
  }
}

async function take(response: IncomingMessage, bytesPerSecond: number): Promise<void> {
  let room = 0;
  while (!response.closed) {
    room += (bytesPerSecond * TAKES_EVERY_MS) / 1_000;
    while (room > 0) {
      const chunk: Buffer | null = response.read();
      if (!chunk) break;
      room -= chunk.length;
    }
    await sleep(TAKES_EVERY_MS);
  }
}

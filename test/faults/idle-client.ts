// A client that sends or takes less than it could, on as many connections as it likes, and comes again when it is sent
// away.

import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Tally } from "./statistics.ts";

/** A request, with the part of its body that is sent. */
export interface Bait {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is sent of the body; the rest never is. @default the request is complete */
  readonly sends?: Uint8Array;
  /** Rate at which the answer is read. @default as it comes */
  readonly takesBytesPerSecond?: number;
}

/** Pause after a refusal, shorter than clients are asked for. */
const AGAIN_AFTER_MS = 1_000;
const TAKES_EVERY_MS = 500;

export class IdleClient {
  readonly #url: URL;
  readonly #from: string;
  readonly #over = new AbortController();
  readonly #connections: Promise<void>[] = [];
  /** Ends of requests: statuses, or connections that broke. */
  readonly ends = new Tally();

  /** @param from the loopback address that connects */
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
    // Behind a proxy of Cloudflare, the header is the address.
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

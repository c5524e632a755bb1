// Connects Node's HTTP server to the app: passes requests on with what the platform would add to them, and knows which
// are still at work.

import type { IncomingMessage } from "node:http";
import type { Http2Bindings, HttpBindings } from "@hono/node-server";
import type { createApp } from "../src/app.ts";
import { LEFT_STATUS } from "../src/core/answered-request.ts";
import type { Env } from "../src/core/config.ts";
import { type Forwarded, readForwarded } from "./forwarded.ts";

export interface ListenerSettings {
  readonly app: ReturnType<typeof createApp>;
  /** Returns what the app finds in its environment. */
  env(): Env;
  readonly trustedProxies: number;
}

export class Listener {
  readonly #settings: ListenerSettings;
  readonly #working = new Set<Promise<unknown>>();

  constructor(settings: ListenerSettings) {
    this.#settings = settings;
  }

  readonly fetch = async (request: Request, { incoming }: HttpBindings | Http2Bindings): Promise<Response> => {
    const { app, env } = this.#settings;
    const { address, origin } = this.#origin(incoming);
    const { BASE_URL = origin, ...others } = env();
    const bindings: Env = {
      ...others,
      ...(BASE_URL === undefined ? {} : { BASE_URL }),
      ...(address === undefined ? {} : { CLIENT_ADDRESS: address }),
    };
    const context = {
      waitUntil: (work: Promise<unknown>) => this.#follow(work),
      passThroughOnException() {},
      props: {},
    } as unknown as Parameters<typeof app.fetch>[2] & object;
    try {
      return await app.fetch(request, bindings, context);
    } catch (error) {
      // The server aborts a request with a text, which the app does not take for an error.
      if (!request.signal.aborted) throw error;
      console.log(JSON.stringify({ message: "request left by client", path: new URL(request.url).pathname }));
      return new Response(null, { status: LEFT_STATUS });
    }
  };

  /** Resolves when no work is left, not even what was to be done after an answer. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled([...this.#working]);
  }

  #origin({ headers, socket }: Pick<IncomingMessage, "headers" | "socket">): Forwarded {
    return readForwarded(headers, socket.remoteAddress, this.#settings.trustedProxies);
  }

  #follow(work: Promise<unknown>): void {
    this.#working.add(work);
    work
      .catch((error) => console.log(JSON.stringify({ message: "deferred work failed", error: String(error) })))
      .finally(() => this.#working.delete(work));
  }
}

// Connects Node's HTTP server to the app: passes requests on with what the platform would add to them, and knows which
// are still at work.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Http2Bindings, HttpBindings } from "@hono/node-server";
import type { createApp } from "../src/app/app.ts";
import { logLine } from "../src/runtime/log-line.ts";
import { CLIENT_CLOSED_REQUEST } from "../src/service/ports/completed-request.ts";
import type { LeasedJob } from "../src/service/ports/jobs.ts";
import type { DeliveryOutcome, WebhookMessage } from "../src/service/ports/webhooks.ts";
import type { Env } from "../src/service/settings/config.ts";
import { Connections } from "./connections.ts";
import { type Forwarded, readForwarded } from "./forwarded.ts";

export interface ListenerSettings {
  readonly app: ReturnType<typeof createApp>;
  /** Returns what the app finds in its environment. */
  env(): Env;
  readonly trustedProxies: number;
}

export class RequestListener {
  readonly #settings: ListenerSettings;
  readonly #working = new Set<Promise<unknown>>();
  readonly #connections = new Connections();

  constructor(settings: ListenerSettings) {
    this.#settings = settings;
  }

  readonly fetch = async (
    request: Request,
    { incoming, outgoing }: HttpBindings | Http2Bindings,
  ): Promise<Response> => {
    const { app, env } = this.#settings;
    const isThere = await this.#connections.enter(incoming.socket as Socket, outgoing as ServerResponse);
    if (!isThere) return new Response(null, { status: CLIENT_CLOSED_REQUEST });
    // The server passes on hosts that no address has, such as a.127.
    if (!URL.canParse(request.url)) return new Response(null, { status: 400 });
    (outgoing as ServerResponse).once("finish", () => drainBody(incoming as IncomingMessage));
    const { address, origin } = this.#origin(incoming);
    const environment: Env = {
      ...env(),
      ...(origin === undefined ? {} : { FORWARDED_ORIGIN: origin }),
      ...(address === undefined ? {} : { CLIENT_ADDRESS: address }),
    };
    const context = {
      waitUntil: (work: Promise<unknown>) => this.#follow(work),
      passThroughOnException() {},
      props: {},
    } as unknown as Parameters<typeof app.fetch>[2] & object;
    try {
      return await app.fetch(request, environment, context);
    } catch (error) {
      // The server aborts a request with a text, which the app does not take for an error.
      if (!request.signal.aborted) throw error;
      console.log(logLine({}, "client disconnected", { path: new URL(request.url).pathname }));
      return new Response(null, { status: CLIENT_CLOSED_REQUEST });
    }
  };

  /** Carries out an asynchronous job. */
  readonly run = (job: LeasedJob): Promise<void> => {
    const { app, env } = this.#settings;
    const ended = app.runJob(job, env(), (work) => this.#follow(work));
    this.#follow(ended.catch(() => {}));
    return ended;
  };

  /** Posts the message about an asynchronous job. */
  readonly deliver = (message: WebhookMessage): Promise<DeliveryOutcome> => {
    const { app, env } = this.#settings;
    // Nothing waits for a slow receiver when the host stops: the message is posted again.
    return app.deliver(message, env(), (work) => this.#follow(work));
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
      .catch((error) => console.log(logLine({}, "deferred work failed", { error: String(error) })))
      .finally(() => this.#working.delete(work));
  }
}

/**
 * Reads what is left of the body of an answered request. The server reads it too, for half a second, and then closes the
 * connection, on which the next request may be: a stream that the app opened and did not read to its end stops it.
 */
function drainBody(incoming: IncomingMessage): void {
  if (!incoming.readableEnded) incoming.removeAllListeners("data").resume();
}

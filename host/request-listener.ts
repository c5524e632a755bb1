// Connects Node's HTTP server to the app: provides the bindings that Cloudflare would provide, and tracks running
// requests.

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
  /** Returns the app's environment. */
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
    // The HTTP server accepts invalid host names, such as `a.127`.
    if (!URL.canParse(request.url)) return new Response(null, { status: 400 });
    (outgoing as ServerResponse).once("finish", () => drainBody(incoming as IncomingMessage));
    const { address, isProxy, origin } = this.#origin(incoming);
    const bindings = env();
    if (bindings.ENDING) outgoing.setHeader("connection", "close");
    const environment: Env = {
      ...bindings,
      ...(origin === undefined ? {} : { FORWARDED_ORIGIN: origin }),
      ...(address === undefined ? {} : { CLIENT_ADDRESS: address }),
      ...(isProxy ? { HIDES_CLIENTS: "1" as const } : {}),
    };
    const context = {
      waitUntil: (work: Promise<unknown>) => this.#follow(work),
      passThroughOnException() {},
      props: {},
    } as unknown as Parameters<typeof app.fetch>[2] & object;
    try {
      return await app.fetch(request, environment, context);
    } catch (error) {
      // If the client disconnects, the server aborts the request. The reason is a string, which the app rethrows
      // because it is not an Error.
      if (!request.signal.aborted) throw error;
      console.log(logLine({}, "client disconnected", { path: new URL(request.url).pathname }));
      return new Response(null, { status: CLIENT_CLOSED_REQUEST });
    }
  };

  /** Runs an asynchronous job. */
  readonly run = (job: LeasedJob): Promise<void> => {
    const { app, env } = this.#settings;
    const ended = app.runJob(job, env(), (work) => this.#follow(work));
    this.#follow(ended.catch(() => {}));
    return ended;
  };

  /** Posts a webhook message. */
  readonly deliver = (message: WebhookMessage): Promise<DeliveryOutcome> => {
    const { app, env } = this.#settings;
    // Shutdown does not wait for this delivery. After a restart, the message is posted again.
    return app.deliver(message, env(), (work) => this.#follow(work));
  };

  /** Resolves when all requests and jobs have ended, including their work after the response. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled([...this.#working]);
  }

  #origin({ headers, socket, httpVersion }: Pick<IncomingMessage, "headers" | "socket" | "httpVersion">): Forwarded {
    const { trustedProxies, env } = this.#settings;
    const forwarded = readForwarded(headers, socket.remoteAddress, trustedProxies);
    // A service that has a public URL is behind a proxy. Some proxies add no header, but use HTTP/1.0.
    const isBehindProxy = trustedProxies === 0 && (URL.canParse(env().BASE_URL ?? "") || httpVersion === "1.0");
    return isBehindProxy ? { ...forwarded, isProxy: true } : forwarded;
  }

  #follow(work: Promise<unknown>): void {
    this.#working.add(work);
    work
      .catch((error) => console.log(logLine({}, "deferred work failed", { error: String(error) })))
      .finally(() => this.#working.delete(work));
  }
}

/**
 * Reads the remaining request body after the response. The HTTP server reads it only for half a second, and then closes
 * the connection, which might carry the next request. It does not read it at all if the app has opened the body as a
 * stream.
 */
function drainBody(incoming: IncomingMessage): void {
  if (!incoming.readableEnded) incoming.removeAllListeners("data").resume();
}

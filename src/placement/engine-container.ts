// Defines the instances of the container, as the platform runs them: started by the dispatcher, asleep when idle.

import { Container } from "@cloudflare/containers";
import type { Env } from "../core/config.ts";
import { POOL_ENGINES } from "./pools.ts";

/** Key in the object's storage. The container outlives the object's memory, for example when a Worker is deployed. */
const SECRET_KEY = "secret";

/** An instance that has no network: documents come from strangers. */
export class EngineContainer extends Container<Env> {
  override defaultPort = 8080;
  override sleepAfter = "10m";
  override enableInternet = false;
  override pingEndpoint = "container/up";
  readonly engines: string = POOL_ENGINES.engines;
  #starting: Promise<string> | undefined;
  #requests = 0;

  /** Starts the container unless it runs, and waits until its server answers. Its engines may still be starting. */
  async wake(): Promise<void> {
    await this.#secretOfRunning();
  }

  /** Reports whether the container runs, and starts nothing. */
  isRunning(): boolean {
    return this.ctx.container?.running ?? false;
  }

  /**
   * Passes a request on to the container, with the secret of the running one.
   * @returns 503 if the container cannot be started
   */
  override async fetch(request: Request): Promise<Response> {
    let secret: string;
    try {
      secret = await this.#secretOfRunning();
    } catch (error) {
      return new Response(String(error), { status: 503 });
    }
    const headers = new Headers(request.headers);
    headers.set("Authorization", `Bearer ${secret}`);
    const answer = await this.#passOn(new Request(request, { headers }));
    // A container with another secret was started by another version of this class. The next one gets ours.
    if (answer.status === 401) await this.destroy();
    return answer;
  }

  /** Keeps the container awake while it works. */
  override async onActivityExpired(): Promise<void> {
    if (this.#requests === 0) await super.onActivityExpired();
  }

  /**
   * Sends a request to the container. `super.fetch` reports a connection that breaks as an uncaught error, or as a
   * response of 500.
   */
  async #passOn(request: Request): Promise<Response> {
    this.#requests++;
    const ended = () => {
      this.#requests--;
      this.renewActivityTimeout();
    };
    try {
      const answer = await this.ctx.container!.getTcpPort(this.defaultPort).fetch(request.url, request);
      const { readable, writable } = new IdentityTransformStream();
      const sent = answer.body?.pipeTo(writable) ?? writable.close();
      // If the connection breaks, the reader gets the error.
      sent.catch(() => {}).finally(ended);
      return new Response(readable, answer);
    } catch (error) {
      ended();
      throw error;
    }
  }

  /** Starts the container once for all that ask at the same time, because each start has a secret of its own. */
  #secretOfRunning(): Promise<string> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<string> {
    const { status } = await this.getState();
    const known = this.ctx.storage.kv.get<string>(SECRET_KEY);
    if (known && this.isRunning() && status === "healthy") return known;
    if (this.isRunning() && !known) await this.destroy();
    const secret = this.isRunning() && known ? known : randomSecret();
    this.ctx.storage.kv.put(SECRET_KEY, secret);
    this.envVars = { CONTAINER_SECRET: secret, ENGINES: this.engines };
    await this.startAndWaitForPorts();
    return secret;
  }
}

/**
 * An instance for web pages, which load what they show from the internet. Chromium reaches it only through the
 * container's proxy, which checks every address (container/engines/chromium/web-proxy.ts).
 */
export class WebContainer extends EngineContainer {
  override enableInternet = true;
  override readonly engines = POOL_ENGINES.web;
}

function randomSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}

// Defines the instances of the container, as the platform runs them: started by the dispatcher, asleep when idle.

import { Container } from "@cloudflare/containers";
import { LIMITS } from "../../../document/contract/limits.ts";
import { delay } from "../../../runtime/delay.ts";
import { logLine } from "../../../runtime/log-line.ts";
import { withTimeout } from "../../../runtime/rpc.ts";
import type { Env } from "../../settings/config.ts";
import type { ContainerHealth } from "../container-health.ts";
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
  /** Time in which a container that works answers GET /up, in milliseconds. */
  readonly aliveMs: number = LIMITS.instanceAliveMs;
  #watching: Promise<void> | undefined;
  #starting: Promise<string> | undefined;
  /**
   * The requests that the container works on, by what breaks them off when it is ended for its silence: its connections
   * need not break by themselves.
   */
  readonly #requests = new Set<AbortController>();
  /** True if a request has failed since the container last answered. */
  #isDoubted = false;

  /** Starts the container unless it runs, and waits until its server answers. Its engines may still be starting. */
  async wake(): Promise<void> {
    await this.#secretOfRunning();
  }

  /** Reports whether the container runs, and starts nothing. */
  isRunning(): boolean {
    return this.ctx.container?.running ?? false;
  }

  /** Asks the container for its health, unless it sleeps. Does not keep it awake. */
  async health(): Promise<ContainerHealth | undefined> {
    if (!this.isRunning()) return undefined;
    const answer = await this.ctx.container!.getTcpPort(this.defaultPort).fetch("http://container/ready");
    return (await answer.json()) as ContainerHealth;
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

  /** Returns the environment of the container, without its secret. */
  protected settings(): Record<string, string> {
    return { ENGINES: this.engines };
  }

  /** Keeps the container awake while it works. */
  override async onActivityExpired(): Promise<void> {
    if (this.#requests.size === 0) await super.onActivityExpired();
  }

  /**
   * Sends a request to the container. `super.fetch` reports a connection that breaks as an uncaught error, or as a
   * response of 500.
   */
  async #passOn(request: Request): Promise<Response> {
    const silence = new AbortController();
    this.#requests.add(silence);
    this.#watching ??= this.#watch().finally(() => {
      this.#watching = undefined;
    });
    const ended = () => {
      this.#requests.delete(silence);
      this.renewActivityTimeout();
    };
    const failed = () => {
      this.#isDoubted = true;
    };
    try {
      const passedOn = new Request(request, { signal: AbortSignal.any([request.signal, silence.signal]) });
      const answer = await this.ctx.container!.getTcpPort(this.defaultPort).fetch(request.url, passedOn);
      const { readable, writable } = new IdentityTransformStream();
      const sent = answer.body?.pipeTo(writable, { signal: silence.signal }) ?? writable.close();
      // If the connection breaks, the reader gets the error.
      sent.catch(failed).finally(ended);
      return new Response(readable, answer);
    } catch (error) {
      failed();
      ended();
      throw error;
    }
  }

  /**
   * Ends a container that is frozen, or runs and cannot be reached. The jobs of the one would wait for their time limit,
   * because no connection breaks. The other would keep its place, and fail every job at once.
   */
  async #watch(): Promise<void> {
    while (this.#requests.size > 0 || this.#isDoubted) {
      await delay(this.aliveMs / 4);
      const wasDoubted = this.#isDoubted;
      this.#isDoubted = false;
      try {
        await withTimeout(this.aliveMs, () =>
          this.ctx.container!.getTcpPort(this.defaultPort).fetch("http://container/up"),
        );
      } catch (error) {
        // One that starts does not listen yet.
        if (!this.isRunning() || this.#starting || (this.#requests.size === 0 && !wasDoubted)) continue;
        console.log(logLine({}, "instance ended", { error: String(error) }));
        for (const silence of this.#requests) silence.abort(error);
        await this.destroy();
      }
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
    this.envVars = { CONTAINER_SECRET: secret, ...this.settings() };
    await this.startAndWaitForPorts();
    return secret;
  }
}

/**
 * An instance for web pages, which load what they show from the internet. Chromium reaches it only through the
 * container's proxy, which checks every address (container/engines/chromium/network/web-proxy.ts).
 */
export class WebContainer extends EngineContainer {
  override enableInternet = true;
  override readonly engines = POOL_ENGINES.web;

  /** Adds the settings of the Worker that are about addresses. Web pages are loaded by this kind of container alone. */
  protected override settings(): Record<string, string> {
    const { URL_ALLOW, URL_DNS } = this.env;
    return { ...super.settings(), ...(URL_ALLOW ? { URL_ALLOW } : {}), ...(URL_DNS ? { URL_DNS } : {}) };
  }
}

function randomSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}

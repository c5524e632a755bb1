// Defines the container instances of the platform. The dispatcher starts them; idle instances go to sleep.

import { Container } from "@cloudflare/containers";
import { LIMITS } from "../../../document/contract/limits.ts";
import { delay } from "../../../runtime/delay.ts";
import { logLine } from "../../../runtime/log-line.ts";
import { withTimeout } from "../../../runtime/rpc.ts";
import type { Env } from "../../settings/config.ts";
import type { ContainerHealth } from "../container-health.ts";
import { POOL_ENGINES } from "./pools.ts";

/**
 * Key of the secret in the object's storage. The secret is stored, because the container continues to run when the
 * object loses its memory, for example at a deployment of the Worker.
 */
const SECRET_KEY = "secret";

/** A container instance without network access, because documents are untrusted. */
export class EngineContainer extends Container<Env> {
  override defaultPort = 8080;
  /** Decision 89 compares the costs. Jobs that run keep the container awake. */
  override sleepAfter = "5m";
  override enableInternet = false;
  override pingEndpoint = "container/up";
  readonly engines: string = POOL_ENGINES.engines;
  /** Maximum time for a working container to respond to GET /up, in milliseconds. */
  readonly aliveMs: number = LIMITS.instanceAliveMs;
  #watching: Promise<void> | undefined;
  #starting: Promise<string> | undefined;
  /**
   * Abort controllers of the requests that the container runs. Used when a hung container is killed, because its
   * connections might not break by themselves.
   */
  readonly #requests = new Set<AbortController>();
  /** True if a request has failed since the container last responded. */
  #isDoubted = false;

  /** Starts the container unless it runs, and waits until its server responds. Its engines might still be starting. */
  async wake(): Promise<void> {
    await this.#secretOfRunning();
  }

  /** Reports whether the container runs, without starting it. */
  isRunning(): boolean {
    return this.ctx.container?.running ?? false;
  }

  /** Requests the container's health, unless it sleeps. Does not keep it awake. */
  async health(): Promise<ContainerHealth | undefined> {
    if (!this.isRunning()) return undefined;
    const response = await this.ctx.container!.getTcpPort(this.defaultPort).fetch("http://container/ready");
    return (await response.json()) as ContainerHealth;
  }

  /**
   * Forwards a request to the container, with the secret of the running container.
   * @returns 503 if the container cannot start
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
    const response = await this.#passOn(new Request(request, { headers }));
    // The container rejects the stored secret, because another version of this class started it with a different one.
    // The next request starts it again, with the stored secret.
    if (response.status === 401) await this.destroy();
    return response;
  }

  /** Returns the environment of the container, without its secret. */
  protected settings(): Record<string, string> {
    return { ENGINES: this.engines };
  }

  /** Keeps the container awake while it runs jobs. */
  override async onActivityExpired(): Promise<void> {
    if (this.#requests.size === 0) await super.onActivityExpired();
  }

  /**
   * Sends a request to the container. `super.fetch` is not used, because it reports a broken connection as an uncaught
   * error or as a 500 response.
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
      const response = await this.ctx.container!.getTcpPort(this.defaultPort).fetch(request.url, passedOn);
      const { readable, writable } = new IdentityTransformStream();
      const sent = response.body?.pipeTo(writable, { signal: silence.signal }) ?? writable.close();
      // The reader of a broken connection receives the error.
      sent.catch(failed).finally(ended);
      return new Response(readable, response);
    } catch (error) {
      failed();
      ended();
      throw error;
    }
  }

  /**
   * Kills a container that hangs or is unreachable. If a container hangs, no connection breaks, so its jobs would wait
   * until their time limit. An unreachable container would keep its slots and fail every job immediately.
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
        // A starting container does not listen yet.
        if (!this.isRunning() || this.#starting || (this.#requests.size === 0 && !wasDoubted)) continue;
        console.log(logLine({}, "instance ended", { error: String(error) }));
        for (const silence of this.#requests) silence.abort(error);
        await this.destroy();
      }
    }
  }

  /**
   * Starts the container unless it runs, and returns its secret. Concurrent callers share one start, because each start
   * generates a new secret.
   */
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
 * An instance for web pages, with internet access for their resources. Chromium has access only through the container's
 * proxy, which checks every address (container/engines/chromium/network/web-proxy.ts).
 */
export class WebContainer extends EngineContainer {
  override enableInternet = true;
  override readonly engines = POOL_ENGINES.web;

  /** Adds the settings URL_ALLOW and URL_DNS, which only this pool needs: it alone connects to the internet. */
  protected override settings(): Record<string, string> {
    const { URL_ALLOW, URL_DNS } = this.env;
    return { ...super.settings(), ...(URL_ALLOW ? { URL_ALLOW } : {}), ...(URL_DNS ? { URL_DNS } : {}) };
  }
}

function randomSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}

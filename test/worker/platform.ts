// The Worker of the tests in workerd: the Worker of src/, whose Durable Objects connect to
// test/support/fake-platform.ts in place of the platform's container runtime, if they belong to an environment of
// `environmentOf`. Others have no container runtime.

import { LIMITS } from "../../src/document/contract/limits.ts";
import {
  Dispatcher as RealDispatcher,
  EngineContainer as RealEngineContainer,
  WebContainer as RealWebContainer,
} from "../../src/index.ts";

export {
  ClaimObject,
  ClientLimits,
  ContainerProxy,
  default,
  JobQueueObject,
  JobRunner,
  RegionRunner,
} from "../../src/index.ts";

type Context = ConstructorParameters<typeof RealEngineContainer>[0];
type Env = ConstructorParameters<typeof RealEngineContainer>[1];

// Shared by the tests and the Worker, because both run in one isolate. A container outlives the memory of its object.
const shared = globalThis as unknown as { platform?: { readonly url: string; readonly ports: Map<string, number> } };

/** Provides a container runtime to all objects that are created from now on. */
export function usePlatform(url: string): void {
  shared.platform ??= { url, ports: new Map() };
}

/** Returns an environment whose object names start with the name of the test, so that each test has its own objects. */
export function environmentOf(test: string, env: Env): Env {
  const scoped = (namespace: DurableObjectNamespace) => ({
    idFromName: (name: string) => namespace.idFromName(`${test}/${name}`),
    get: (id: DurableObjectId) => namespace.get(id),
  });
  const names = Object.keys(env).filter((name) => name === "DISPATCHER" || name.endsWith("CONTAINER"));
  const objects = names.map((name) => [name, scoped(env[name as "CONTAINER"]!)]);
  return { ...env, ...Object.fromEntries(objects) };
}

export class Dispatcher extends RealDispatcher {
  constructor(ctx: Context, env: Env) {
    const [test, pool] = ctx.id.name?.split("/") ?? [];
    super(ctx, test && pool ? environmentOf(test, env) : env);
  }
}

/** Settings of the Worker that only containers for web pages may get. */
const ADDRESSES = { URL_ALLOW: "wiki.corp", URL_DNS: "10.0.0.53" };

export class EngineContainer extends RealEngineContainer {
  override readonly aliveMs: number = 2_000;

  constructor(ctx: Context, env: Env) {
    super(withRuntime(ctx, "engines"), { ...env, ...ADDRESSES });
  }
}

/** No test of regions has a container that hangs, so a busy machine has the time that it has in production. */
export class EngineContainerEnam extends EngineContainer {
  override readonly aliveMs = LIMITS.instanceAliveMs;
}
export class EngineContainerApac extends EngineContainerEnam {}

export class WebContainer extends RealWebContainer {
  constructor(ctx: Context, env: Env) {
    super(withRuntime(ctx, "web"), { ...env, ...ADDRESSES });
  }
}

export class WebContainerEnam extends WebContainer {}
export class WebContainerApac extends WebContainer {}

function withRuntime(ctx: Context, pool: string): Context {
  const { platform } = shared;
  const [test, ...names] = ctx.id.name!.split("/");
  if (!platform || names.length === 0) return ctx;
  const runtime = new Runtime(platform.url, platform.ports, `${test}/${[pool, ...names].join(" ")}`);
  return Object.defineProperty(ctx, "container", { value: runtime });
}

/** The part of `ctx.container` that the library uses. */
export class Runtime {
  readonly #platform: string;
  readonly #ports: Map<string, number>;
  readonly #name: string;
  #starting: Promise<void> | undefined;

  constructor(platform: string, ports: Map<string, number>, name: string) {
    this.#platform = platform;
    this.#ports = ports;
    this.#name = name;
  }

  get running(): boolean {
    return this.#starting !== undefined || this.#ports.has(this.#name);
  }

  start({ env, enableInternet }: { readonly env: object; readonly enableInternet: boolean }): void {
    if (this.running) throw new Error("start() cannot be called on a container that is already running.");
    this.#starting = this.#call("start", { ...env, enableInternet: String(enableInternet) }).then((answer) => {
      this.#ports.set(this.#name, (answer as { readonly port: number }).port);
    });
    const started = () => {
      this.#starting = undefined;
    };
    this.#starting.then(started, started);
  }

  monitor(): Promise<void> {
    const ended = this.#end();
    // Prevents an unhandled rejection, because the library can ignore this promise.
    ended.catch(() => {});
    return ended;
  }

  async #end(): Promise<void> {
    await this.#starting;
    await this.#call("wait");
    this.#ports.delete(this.#name);
  }

  getTcpPort(_port: number) {
    return {
      fetch: async (url: string, init?: RequestInit): Promise<Response> => {
        await this.#starting;
        const port = this.#ports.get(this.#name);
        if (port === undefined) throw new Error("the container is not listening");
        return fetch(new Request(`http://127.0.0.1:${port}${new URL(url).pathname}`, init));
      },
    };
  }

  signal(): void {
    void this.destroy();
  }

  async destroy(): Promise<void> {
    await this.#call("stop");
    this.#ports.delete(this.#name);
  }

  async #call(verb: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.#platform}/${verb}/${encodeURIComponent(this.#name)}`, {
      method: "POST",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  }
}

// The Worker of src/ in workerd, with regions: it records the calls to bindings, and cuts regions off. workerd itself
// has neither places nor jurisdictions, so the names of objects start with their jurisdiction.

import { AsyncLocalStorage } from "node:async_hooks";
import * as real from "../../../src/index.ts";
import type { Env } from "../../../src/service/settings/config.ts";
import type { Call, Control } from "../../support/regions/observations.ts";

export { ContainerProxy, Dispatcher, EngineContainer, WebContainer } from "../../../src/index.ts";

const place = new AsyncLocalStorage<string>();
const calls: Call[] = [];
let control: Control = { lost: {} };

/**
 * Region whose calls are not recorded, as in a service that runs many tests. Of the lines of the log, only those are
 * recorded that contain the name of an uploaded file.
 */
let unrecorded: string | undefined;
/** Names of uploaded files, in that service. Shorter ones can be the end of a path. */
const names = new Set<string>();
const FILE_NAME = /filename="([^"\r\n]{3,}\.\w{2,5})"/g;

function record(call: Omit<Call, "from" | "given">, given: readonly unknown[]): void {
  const { binding, object } = call;
  const isInside = binding === `${unrecorded?.toUpperCase()}_FILES` || object?.startsWith(`${unrecorded}/`);
  const text = JSON.stringify(given, readable);
  const isNamed = () => [...names].some((name) => text.includes(name));
  if (unrecorded !== undefined && (isInside || (binding === "console" && !isNamed()))) return;
  calls.push({ from: place.getStore() ?? "unknown", ...call, given: text });
}

function readable(_: string, value: unknown): unknown {
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1");
  if (value instanceof Request)
    return { method: value.method, url: value.url, headers: Object.fromEntries(value.headers) };
  return value;
}

for (const method of ["log", "warn", "error"] as const) {
  const write = console[method].bind(console);
  console[method] = (...given: unknown[]) => {
    record({ binding: "console", method }, given);
    if (method === "error") write(...given);
  };
}

/** Records a call without a binding: a request to another server, or an entry of a cache. It is where its caller is. */
function recordHere(binding: string, method: string, given: readonly unknown[]): void {
  record({ binding, method, object: place.getStore() ?? "unknown" }, given);
}

const send = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const request = new Request(input, init);
  recordHere("internet", request.method, [request]);
  return send(request);
};
const { default: cache } = caches;
Object.defineProperty(caches, "default", {
  value: {
    match: (key: string) => cache.match(key),
    put: (key: string, response: Response) => {
      recordHere("cache", "put", [key]);
      return cache.put(key, response);
    },
    delete: (key: string) => cache.delete(key),
  },
});

/** Fails, or never ends, if the region is lost. @param region undefined if the resource belongs to no region */
async function reach(region: string | undefined): Promise<void> {
  const loss = region === undefined ? undefined : control.lost[region];
  if (loss === "rejects") throw new Error("Network connection lost.");
  while (loss === "hangs" && control.lost[region!] === "hangs") await new Promise((resolve) => setTimeout(resolve, 50));
}

interface Resource {
  readonly binding: string;
  readonly object?: string;
  readonly region: string | undefined;
}

type Methods = Record<string, (...given: unknown[]) => unknown>;

function observed<T extends object>(target: T, { region, ...call }: Resource): T {
  return new Proxy(target, {
    get(_, property) {
      const method = String(property);
      if (method === "then") return undefined;
      const value = Reflect.get(target, property) as unknown;
      if (typeof value !== "function" || typeof property !== "string") return value;
      const invoke = (given: unknown[]) => (target as unknown as Methods)[method]!(...given);
      if (["resumeMultipartUpload", "prepare", "bind"].includes(method)) return (...given: unknown[]) => invoke(given);
      return async (...given: unknown[]) => {
        record({ ...call, method }, given);
        await reach(region);
        return invoke(given);
      };
    },
  });
}

const SEPARATOR = "!";
/** Where requests arrive that do not name a place, in a service whose calls are not all recorded. */
const SYDNEY = { latitude: "-33.9", longitude: "151.2" };

function observedNamespace(namespace: DurableObjectNamespace, binding: string, prefix = ""): object {
  const get = (id: DurableObjectId) => {
    const object = id.name!.slice(prefix.length);
    const [region, rest] = object.split("/");
    const isUnplaced = binding === "CLIENT_LIMITS" || binding === "CLAIMS";
    const own = rest === undefined ? (isUnplaced ? undefined : "weur") : region;
    return observed(namespace.get(id), { binding, object, region: own });
  };
  const idFromName = (name: string) => namespace.idFromName(prefix + name);
  return {
    ...{ idFromName, get, getByName: (name: string) => get(idFromName(name)) },
    jurisdiction: (name: string) => observedNamespace(namespace, binding, name + SEPARATOR),
  };
}

const known = new WeakMap<object, Env>();

/** Returns the environment with bindings that are recorded and can be lost. */
function observe(env: Env): Env {
  ({ UNRECORDED: unrecorded } = env as { readonly UNRECORDED?: string });
  const bindings = Object.entries(env).map(([name, value]: [string, unknown]) => {
    if (typeof value !== "object" || value === null) return [name, value];
    if ("idFromName" in value) return [name, observedNamespace(value as DurableObjectNamespace, name)];
    const region = name === "FILES" ? "weur" : /^(\w+)_FILES$/.exec(name)?.[1]?.toLowerCase();
    return [name, observed(value, { binding: name, region })];
  });
  const made = known.get(env) ?? (Object.fromEntries(bindings) as Env);
  known.set(env, made);
  return made;
}

type Class<C> = new (context: C, env: Env) => object;

/** Returns the class of an object that runs in its own place. */
function observedClass<C extends object>(Real: Class<C>, nameOf: (context: C) => string): Class<C> {
  const places = new WeakMap<object, string>();
  class Observed extends Real {
    constructor(context: C, env: Env) {
      super(context, observe(env));
      places.set(this, nameOf(context));
    }
  }
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(Real.prototype))) {
    if (name === "constructor" || typeof value !== "function") continue;
    Object.defineProperty(Observed.prototype, name, {
      value(this: object, ...given: unknown[]) {
        return place.run(places.get(this)!, () => (value as (...given: unknown[]) => unknown).apply(this, given));
      },
    });
  }
  return Observed;
}

const objectName = ({ id }: DurableObjectState) => id.name!.split(SEPARATOR).at(-1)!;
export const ClaimObject = observedClass(real.ClaimObject as unknown as Class<DurableObjectState>, objectName);
export const JobQueueObject = observedClass(real.JobQueueObject as unknown as Class<DurableObjectState>, objectName);
export const ClientLimits = observedClass(real.ClientLimits as unknown as Class<DurableObjectState>, objectName);
export const RegionRunner = observedClass(real.RegionRunner as unknown as Class<DurableObjectState>, objectName);
export const JobRunner = observedClass(real.JobRunner as unknown as Class<ExecutionContext>, () => "job");

/** Returns a signal that is aborted when the client has disconnected. */
function signalOf(client: string | null): AbortSignal {
  const connection = new AbortController();
  const watch = async () => {
    while (control.gone !== client) await new Promise((resolve) => setTimeout(resolve, 50));
    connection.abort(new DOMException("The client has disconnected", "AbortError"));
  };
  if (client !== null) void watch();
  return connection.signal;
}

/** Returns the same request, and notes the names of files in the chunks of its body as they arrive. */
function noting(request: Request): Request {
  if (!request.body) return request;
  const transform = (chunk: Uint8Array, to: TransformStreamDefaultController<Uint8Array>) => {
    for (const [, name] of Buffer.from(chunk).toString("latin1").matchAll(FILE_NAME)) names.add(name!);
    to.enqueue(chunk);
  };
  const length = request.headers.get("Content-Length");
  const noted = request.body.pipeThrough(new TransformStream({ transform }));
  return new Request(request, { body: length === null ? noted : noted.pipeThrough(new FixedLengthStream(+length)) });
}

export default {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    if (new URL(request.url).pathname === "/control") {
      control = await request.json();
      return Response.json(calls.splice(0));
    }
    const at = request.headers.get("Arrival");
    const [latitude, longitude] = at?.split(" ") ?? [];
    const cf = at ? { latitude, longitude } : unrecorded ? SYDNEY : {};
    const arrived = new Request(request, { cf, signal: signalOf(request.headers.get("Client")) });
    arrived.headers.delete("Arrival");
    const noted = unrecorded ? noting(arrived) : arrived;
    return place.run("arrival", () => real.default.fetch(noted, observe(env), context));
  },
  async scheduled(event: ScheduledController, env: Env): Promise<void> {
    await place.run("arrival", () => real.default.scheduled(event, observe(env)));
  },
};

// Gives each binding of the Worker a place, and each call to it the duration of a trip there.

import type { City } from "../../support/world/places.ts";
import { hold } from "./in-memory.ts";
import { type Caller, clock, placesOf, record, travel } from "./world.ts";

export type Bindings = Readonly<Record<string, unknown>> & { readonly REGIONS?: string };

interface Resource {
  readonly binding: string;
  readonly name?: string;
  readonly place: City;
  /** True if its calls run in another process, where they make no further trips. */
  readonly isLeaf: boolean;
}

/** Environments by caller, because the service remembers bindings by their identity. */
const known = new Map<string, Bindings>();

/** Returns the environment of a caller. */
export function locate(env: Bindings, caller: Caller): Bindings {
  const key = JSON.stringify(caller);
  const bindings = Object.entries(env).map(([name, value]) => [name, locatedBinding(env, caller, [name, value])]);
  const located = known.get(key) ?? { ...Object.fromEntries(bindings), PICTURES: locatedCache(caller) };
  known.set(key, located);
  return located;
}

function locatedBinding(env: Bindings, from: Caller, [binding, value]: readonly [string, unknown]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("idFromName" in value) return locatedNamespace(value as DurableObjectNamespace, { env, from, binding });
  // A location caches the values of KV.
  const place = "getWithMetadata" in value ? from.place : placesOf(env).ofBinding(binding);
  return traveling(value, { binding, place, isLeaf: true }, from);
}

interface Namespace {
  readonly env: Bindings;
  readonly from: Caller;
  readonly binding: string;
  readonly jurisdiction?: string;
}

/** Separates the jurisdiction from the name of an object: workerd itself has no jurisdictions. */
export const JURISDICTION_END = "!";

function locatedNamespace(namespace: DurableObjectNamespace, { jurisdiction, ...rest }: Namespace): object {
  const { env, from, binding } = rest;
  const idFromName = (name: string) =>
    namespace.idFromName(jurisdiction === undefined ? name : `${jurisdiction}${JURISDICTION_END}${name}`);
  const get = (id: DurableObjectId, { locationHint }: DurableObjectNamespaceGetDurableObjectOptions = {}) => {
    const place = placesOf(env).ofObject(binding, id.name!, jurisdiction ?? locationHint);
    return traveling(namespace.get(id), { binding, name: id.name!, place, isLeaf: false }, from);
  };
  return {
    ...{ idFromName, get },
    getByName: (name: string, options?: DurableObjectNamespaceGetDurableObjectOptions) =>
      get(idFromName(name), options),
    jurisdiction: (name: string) => locatedNamespace(namespace, { ...rest, jurisdiction: name }),
  };
}

/** Returns the cache of the caller's location. */
function locatedCache(from: Caller): object {
  const opened = () => caches.open(`pictures in ${from.place}`);
  const cache = {
    match: async (key: string) => (await opened()).match(key),
    put: async (key: string, response: Response) => (await opened()).put(key, response),
    delete: async (key: string) => (await opened()).delete(key),
  };
  return traveling(cache, { binding: "cache", place: from.place, isLeaf: true }, from);
}

type Methods = Record<string, (...given: unknown[]) => unknown>;

/** Methods that make no call: they return a handle. */
const HANDLES: ReadonlySet<string> = new Set(["resumeMultipartUpload", "prepare", "bind", "withSession"]);
const originals = new WeakMap<object, object>();

/** Returns a proxy whose asynchronous methods make trips. */
function traveling<T extends object>(target: T, resource: Resource, from: Caller): T {
  const { isLeaf, ...call } = resource;
  const next = (result: unknown): unknown => (isHandle(result) ? traveling(result, resource, from) : result);
  const proxy = new Proxy(target, {
    get(_, property) {
      // A proxy that has this method would be taken for a promise.
      if (property === "then") return undefined;
      const value = Reflect.get(target, property) as unknown;
      if (typeof value !== "function" || typeof property !== "string") return value;
      const invoke = (given: unknown[]) => (target as unknown as Methods)[property]!(...given);
      const made = { ...call, method: property, from: from.place };
      if (HANDLES.has(property)) {
        return (...given: unknown[]) => {
          record(made, given);
          return next(invoke(given));
        };
      }
      return async (...given: unknown[]) => {
        const sent = await Promise.all(given.map((value) => hold(original(value))));
        const run = async () => hold(await invoke(sent.map(({ value }) => value)));
        record(
          made,
          sent.map(({ content }) => content),
        );
        const received = await travel(from, made, () => (isLeaf ? clock.work(run) : run()));
        record(made, received.content);
        return next(received.value);
      };
    },
  });
  originals.set(proxy, target);
  return proxy;
}

/** D1 takes only its own statements. */
function original(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(original);
  return (typeof value === "object" && value !== null && originals.get(value)) || value;
}

/** An upload in parts or a statement, with methods of its own. */
const isHandle = (value: unknown): value is object =>
  typeof value === "object" && value !== null && ("uploadPart" in value || "bind" in value);

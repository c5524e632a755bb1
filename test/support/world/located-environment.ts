// Gives each binding of the Worker a place, and each call to it the delay of a trip there.

import type { Env } from "../../../src/service/settings/config.ts";
import type { Trip } from "./trips.ts";

/** Places of the resources of a deployment. A resource without a place is near every caller. */
export interface World {
  /** Returns the place of a binding, or of a Durable Object by its name. */
  placeOf(binding: string, name?: string): string | undefined;
  /** Delay of a call to another place, in milliseconds. */
  readonly delayMs: number;
  record(trip: Omit<Trip, "startedAt" | "endedAt">): () => void;
}

type Call = (...given: unknown[]) => unknown;

/** Bindings whose values are objects with asynchronous methods. */
const STORES: readonly string[] = ["FILES", "API_KEYS"];
const OBJECTS: readonly string[] = ["CLAIMS", "JOBS", "CLIENT_LIMITS", "CONTAINER", "WEB_CONTAINER", "DISPATCHER"];

/** @param here place of the caller */
export function locate(env: Env, here: string, world: World): Env {
  const bindings = env as unknown as Record<string, object | undefined>;
  const located = { ...bindings };
  for (const name of STORES) {
    const store = bindings[name];
    if (store) located[name] = traveling(store, name, world.placeOf(name));
  }
  for (const name of OBJECTS) {
    const namespace = bindings[name];
    if (namespace) located[name] = namespaceOf(namespace as DurableObjectNamespace, name);
  }
  const database = bindings.USAGE as D1Database | undefined;
  if (database) located.USAGE = databaseOf(database);
  return located as unknown as Env;

  /** Returns a proxy of an object whose asynchronous methods travel to a place. */
  function traveling<T extends object>(target: T, name: string, place: string | undefined, waits = isAsynchronous): T {
    return new Proxy(target, {
      get(_, property) {
        const value = Reflect.get(target, property) as unknown;
        if (typeof value !== "function" || typeof property !== "string") return value;
        const call = (value as Call).bind(target);
        if (!waits(property)) return (...given: unknown[]) => uploadOf(call(...given), place);
        return (...given: unknown[]) => travel(`${name}.${property}`, place, () => call(...given));
      },
    });
  }

  async function travel(call: string, to: string | undefined, work: () => unknown): Promise<unknown> {
    if (to === undefined || to === here) return work();
    const ended = world.record({ call, from: here, to });
    try {
      await scheduler.wait(world.delayMs);
      return uploadOf(await work(), to);
    } finally {
      ended();
    }
  }

  function uploadOf(result: unknown, place: string | undefined): unknown {
    return isUpload(result) ? traveling(result, "FILES.upload", place) : result;
  }

  function namespaceOf(namespace: DurableObjectNamespace, binding: string) {
    const stubOf = (name: string) =>
      traveling(namespace.get(namespace.idFromName(name)), binding, world.placeOf(binding, name));
    return {
      idFromName: (name: string) => name,
      get: (name: string) => stubOf(name),
      getByName: (name: string) => stubOf(name),
    };
  }

  function databaseOf(database: D1Database): D1Database {
    return traveling(database, "USAGE", world.placeOf("USAGE"), (method) => method === "batch" || method === "exec");
  }
}

/** Methods that make no call: they return a handle. */
const HANDLES: ReadonlySet<string> = new Set(["resumeMultipartUpload", "then", "prepare"]);
const isAsynchronous = (method: string): boolean => !HANDLES.has(method);

const isUpload = (value: unknown): value is R2MultipartUpload =>
  typeof value === "object" && value !== null && "uploadPart" in value;

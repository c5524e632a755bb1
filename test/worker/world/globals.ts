// Reports what the Worker does without bindings: timers, requests to other servers, lines of its log.

import type { Call } from "../../support/world/protocol.ts";
import { hold } from "./in-memory.ts";
import { caller, clock, record } from "./world.ts";

/** @param platform URL of the server that starts containers, which is not part of the world */
export function instrument(platform: string): void {
  observeTimers();
  observeLog();
  forbidDefaultCache();
  observeFetch(new URL(platform).host);
}

/** Duration in milliseconds from which a timer is a time limit. */
const LIMIT_MS = 1000;
const MAX_EXTENSIONS = 10;

/**
 * Reports activity when a timer is set and when it fires. So a loop that yields is active. A time limit is extended
 * while trips are under way, because they take virtual time: on a busy machine, they would exceed it.
 */
function observeTimers(): void {
  const { setTimeout, setInterval, setImmediate, clearInterval } = globalThis;
  const observed = (callback: () => void) => {
    clock.note();
    return () => {
      clock.note();
      callback();
    };
  };
  const limit = (callback: () => void, ms: number) => {
    let extensions = 0;
    const timer = setInterval(() => {
      if (clock.isUnderWay && extensions++ < MAX_EXTENSIONS) return;
      clearInterval(timer);
      callback();
    }, ms);
    return timer;
  };
  const timers = {
    setTimeout: (callback: () => void, ms = 0) =>
      ms < LIMIT_MS ? setTimeout(observed(callback), ms) : limit(observed(callback), ms),
    setImmediate: (callback: () => void) => setImmediate(observed(callback)),
  };
  Object.assign(globalThis, timers);
}

/** The service caches by the binding PICTURES, which has a place. */
function forbidDefaultCache(): void {
  Object.defineProperty(caches, "default", {
    get() {
      throw new Error("The default cache has no place: use the binding PICTURES.");
    },
  });
}

function observeLog(): void {
  for (const method of ["debug", "log", "info", "warn", "error"] as const) {
    const write = console[method].bind(console);
    console[method] = (...given: unknown[]) => {
      record({ ...callOf("console"), method }, given);
      if (method === "error" || method === "warn") write(...given);
    };
  }
}

function observeFetch(platformHost: string): void {
  const send = globalThis.fetch;
  globalThis.fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { host, hostname, pathname } = new URL(request.url);
    if (host === platformHost) return send(request);
    const call = { ...callOf(hostname === "127.0.0.1" ? "container" : "internet"), name: host };
    const method = `${request.method} ${pathname}`;
    const sent = await hold(request);
    record({ ...call, method }, sent.content);
    const received = await clock.work(async () => hold(await send(sent.value as Request)));
    record({ ...call, method }, received.content);
    return received.value as Response;
  };
}

/** Returns a call that takes no trip: a container is at the place of its object. */
function callOf(binding: string): Omit<Call, "method"> {
  const place = caller.getStore()?.place ?? "unknown";
  return { binding, from: place, place: binding === "internet" ? binding : place };
}

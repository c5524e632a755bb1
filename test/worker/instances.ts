// The instances of a test: controls and queries the fake platform, and sends jobs.
/// <reference types="@cloudflare/vitest-plugin/types" />
import { runInDurableObject } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { beforeEach, expect, inject } from "vitest";
import * as z from "zod";
import { type Context, declareOperation, stepOf } from "../../src/document/contract/operation.ts";
import type { ConnectedContainer } from "../../src/service/placement/connection.ts";
import { connectContainer } from "../../src/service/placement/container.ts";
import { dispatcher } from "../../src/service/placement/instances/dispatcher-stub.ts";
import { runRemotely } from "../../src/service/placement/remote.ts";
import type { Env } from "../../src/service/settings/config.ts";
import type { Behavior, InstanceRecord } from "../support/platform-protocol.ts";
import { environmentOf, usePlatform } from "./platform.ts";

/** The environment of the running test, which has its own instances. */
export let env: Env;
let test: string;
const platform = inject("platform");
/** A time limit for a busy machine. */
export const soon = { timeout: 90_000 };
export const never = new AbortController().signal;
/** Interval at which a busy container is checked: a quarter of its `aliveMs` in platform.ts. */
export const WATCH_MS = 500;

export const whoami = declareOperation({ name: "whoami", params: z.null() });
/** An operation that ends when its instance is released. */
export const held = declareOperation({ name: "held", params: z.null() });
export const webPage = declareOperation({ name: "whoami", params: z.null(), internet: true });

beforeEach(() => {
  usePlatform(platform);
  test = `test ${crypto.randomUUID()}`;
  env = environmentOf(test, bindings as unknown as Env);
});

export async function call<T>(verb: string, name: string, body?: unknown): Promise<T> {
  const response = await fetch(`${platform}/${verb}/${encodeURIComponent(`${test}/${name}`)}`, {
    method: "POST",
    body: JSON.stringify(body ?? null),
  });
  return response.json();
}
export const behave = (name: string, behavior: Behavior) => call("behave", name, behavior);
export const release = (...names: readonly string[]) => Promise.all(names.map((name) => call("release", name)));
export const tell = (name: string) => call<InstanceRecord>("tell", name);
export const both = <T>(each: (name: string) => T): T[] => ["engines instance-0", "engines instance-1"].map(each);

/** Starts both instances, by running more jobs than one instance has processors. */
export async function runBoth(): Promise<void> {
  await Promise.all([run(held), run(held), run(held), ...both((name) => release(name))]);
  expect((await summary()).instances).toEqual(["ready", "ready"]);
}

export function connect(
  client = "a client",
  from = env,
): { container: ConnectedContainer; settled(): Promise<unknown> } {
  const afterwards: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void afterwards.push(work);
  const container = connectContainer(from, { requestId: "a request", client, waitUntil })!;
  return { container, settled: () => Promise.all(afterwards) };
}

/** Runs a job as the pipeline does, and returns the name of the instance that ran it. */
export async function run(operation = whoami, signal = never, { container, settled } = connect()): Promise<string> {
  const context: Context = { signal, container, heapLimitBytes: 0, defer: () => {}, log: () => {} };
  const once = async () => {
    let text = "";
    for await (const { body } of runRemotely([stepOf(operation, null)], [], context)) {
      for await (const chunk of body as AsyncIterable<Uint8Array>) text += new TextDecoder().decode(chunk);
    }
    return text;
  };
  try {
    return await once().catch(async (error: unknown) => {
      if (!(await container.prepareRetry(error, signal))) throw error;
      return once();
    });
  } finally {
    await settled();
  }
}

/** Discards the memory of an object, as a deployment does. */
export const restart = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (_, state) => state.abort("deployed")).catch(() => {});

export const summary = (pool: "engines" | "web" = "engines") => dispatcher(env, pool)!.summary(pool);

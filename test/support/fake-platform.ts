// Starts containers for tests inside workerd, which has no container runtime. Each container is a real HTTP server that
// runs the container's own app or simulates a failure. Tests control it over HTTP, because they run in another process.

import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import type { TestProject } from "vitest/node";
import { createApp } from "../../container/jobs/app.ts";
import type { ContainerJob, ContainerOperation } from "../../container/jobs/container-job.ts";
import { JobMetrics } from "../../container/jobs/job-metrics.ts";
import { JobPool } from "../../container/jobs/job-pool.ts";
import { Scratch } from "../../container/scratch/scratch.ts";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import type { Output } from "../../src/document/contract/operation.ts";
import { FRAME_VERSION, FRAME_VERSION_HEADER } from "../../src/service/placement/frame-version.ts";
import { encodeResponse } from "../../src/service/placement/remote.ts";
import type { Behavior, InstanceRecord } from "./platform-protocol.ts";

class Instance {
  readonly name: string;
  readonly starts: Record<string, string>[] = [];
  readonly jobs: string[] = [];
  behavior: Behavior = "works";
  #server: Server | undefined;
  #ended = Promise.withResolvers<void>();
  readonly #released = Promise.withResolvers<void>();

  constructor(name: string) {
    this.name = name;
  }

  get running(): boolean {
    return this.#server !== undefined;
  }

  get ended(): Promise<void> {
    return this.#server ? this.#ended.promise : Promise.resolve();
  }

  async start(env: Record<string, string>, scratch: Scratch): Promise<number> {
    this.starts.push(env);
    if (this.behavior === "does-not-start") throw new Error("there is no room for another container");
    if (this.behavior === "starts-late") await this.#released.promise;
    const listener = getRequestListener(this.#app(env, scratch).fetch);
    const server = createServer((request, response) => this.#answer(request, response, listener));
    await new Promise<void>((resolve) => server.listen(Number(env.PORT ?? 0), "127.0.0.1", resolve));
    this.#server = server;
    this.#ended = Promise.withResolvers();
    return (server.address() as AddressInfo).port;
  }

  /** Ends all waits of this instance, now and later. */
  release(): void {
    this.#released.resolve();
  }

  stop(): void {
    this.#server?.close();
    if (this.behavior !== "lost") this.#server?.closeAllConnections();
    this.#server = undefined;
    this.#ended.resolve();
  }

  #answer(request: IncomingMessage, response: ServerResponse, listener: (...of: never[]) => unknown): void {
    const { behavior } = this;
    if (behavior === "frozen" || behavior === "lost") return;
    if (behavior === "out-of-reach") return void request.socket.destroy();
    if (request.method !== "POST") return void listener(...([request, response] as never[]));
    this.jobs.push(request.url!.slice(1));
    const version = { [FRAME_VERSION_HEADER]: FRAME_VERSION };
    if (typeof behavior === "number") response.writeHead(behavior, version).end("{}");
    else if (behavior === "old") response.writeHead(200).end("frames of another kind");
    else if (behavior === "hangs-up") request.socket.destroy();
    else if (behavior === "breaks-off") {
      response.writeHead(200, version).write(Uint8Array.of(1, 0, 0, 0, 99, 123));
      setTimeout(() => request.socket.destroy(), 50);
    } else listener(...([request, response] as never[]));
  }

  #app({ CONTAINER_SECRET: secret = "" }: Record<string, string>, scratch: Scratch) {
    const instance = this;
    const operations: Record<string, (job: ContainerJob) => AsyncIterable<Output>> = {
      async *whoami() {
        yield textOutput(instance.name.split("/")[1]!);
      },
      async *held({ signal }) {
        const left = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        await Promise.race([instance.#released.promise, left]);
        yield textOutput(instance.name.split("/")[1]!);
      },
    };
    const places = () => new JobPool({ atOnce: 20, waiting: 0, maxWaitMs: 1000 });
    const hosted = Object.entries(operations).map(([name, run]): [string, ContainerOperation] => [
      name,
      { pool: places(), timeoutMs: 60_000, run: (job) => encodeResponse(this.behavior === "full" ? full() : run(job)) },
    ]);
    const operationsByName = new Map(hosted);
    return createApp({
      secret,
      operations: operationsByName,
      metrics: new JobMetrics({ operations: operationsByName, engines: () => ({}) }),
      scratch,
      maxInputBytes: 2 ** 20,
      isEnding: () => false,
      ending: new AbortController().signal,
      engines: async () => ({ office: { state: "warm", proof: { by: "job", secondsAgo: 0 } } }),
      health: () => ({}),
      log: () => {},
    });
  }
}

async function* full(): AsyncGenerator<Output> {
  yield* await Promise.reject<Output[]>(new EngineFailure("busy", "20 jobs are there already"));
}

function textOutput(text: string): Output {
  return { extension: "txt", type: "text/plain", body: new TextEncoder().encode(text) };
}

/** Serves `POST /{verb}/{name}` with {@link respond}, which defines the verbs. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "stand-in-platform-"));
  const scratch = await Scratch.open(folder);
  const instances = new Map<string, Instance>();
  const control = createServer((request, response) => {
    void respond(request, instances, scratch).then(
      (body) => response.end(JSON.stringify(body ?? {})),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => control.listen(0, "127.0.0.1", resolve));
  project.provide("platform", `http://127.0.0.1:${(control.address() as AddressInfo).port}`);
  return async () => {
    for (const instance of instances.values()) instance.stop();
    control.closeAllConnections();
    await new Promise((resolve) => control.close(resolve));
    await scratch[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  };
}

async function respond(request: IncomingMessage, instances: Map<string, Instance>, scratch: Scratch): Promise<unknown> {
  const [, verb, encoded = ""] = request.url!.split("/");
  const name = decodeURIComponent(encoded);
  const text = (await request.toArray()).join("");
  const instance = instances.get(name) ?? new Instance(name);
  instances.set(name, instance);
  switch (verb) {
    case "start":
      return { port: await instance.start(JSON.parse(text) as Record<string, string>, scratch) };
    case "stop":
      return instance.stop();
    case "release":
      return instance.release();
    case "behave":
      instance.behavior = JSON.parse(text) as Behavior;
      return undefined;
    case "wait":
      return instance.ended;
    case "tell":
      return { running: instance.running, starts: instance.starts, jobs: instance.jobs } satisfies InstanceRecord;
    default:
      throw new Error(`The platform cannot ${verb}.`);
  }
}

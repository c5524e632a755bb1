// Starts one service of each variant for all tests over HTTP. Tests receive them from `inject("services")`.

import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { type ContainerProcess, startContainer } from "../../scripts/services/container-process.ts";
import { root } from "../../scripts/services/wrangler.ts";
import { type Service, type ServiceAddress, startService, targetOf } from "./service.ts";
import { bundleWorker } from "./worker-bundle.ts";

/** The container that "http" and "host" share. Each project has a copy of this module. */
const shared = globalThis as { containerOfTests?: { readonly started: Promise<ContainerProcess>; users: number } };

/** @returns the shared container, whose last `stop` ends it */
async function openContainer(logFile: string): Promise<Pick<ContainerProcess, "vars" | "stop">> {
  shared.containerOfTests ??= { started: startContainer({ logFile }), users: 0 };
  const container = shared.containerOfTests;
  container.users++;
  const { vars, stop } = await container.started;
  return { vars, stop: async () => (--container.users === 0 ? stop() : undefined) };
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const target = targetOf({ ...process.env, ...project.config.env });
  const folder = await mkdtemp(join(tmpdir(), "container-"));
  const container = await openContainer(join(folder, "container.log"));
  if (target === "wrangler") {
    // Each service would take longer to bundle the Worker than to start, and would then watch the sources.
    const bundle = await bundleWorker(join(folder, "bundle"), join(root, "test/worker/drained-worker.ts"));
    const { workerOptions } = unstable_getMiniflareWorkerOptions(join(root, "wrangler.toml"));
    process.env.WORKER_BUNDLE = join(folder, "worker.json");
    await writeFile(process.env.WORKER_BUNDLE, JSON.stringify({ name: "pagewright", ...workerOptions, ...bundle }));
  }
  // Without this setting, an asynchronous request with a password is rejected.
  const vars = { FORM_SECRET: randomUUID(), GOTENBERG_ROUTES: "on" };
  const started = await Promise.allSettled([
    startService({ variant: "private", container, target, vars }),
    startService({ variant: "keyed", container, target, vars }),
  ]);
  const services = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const stop = async () => {
    await Promise.all([container, ...services].map((service) => service.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  const [open, keyed] = services;
  if (open === undefined || keyed?.key === undefined) {
    await stop();
    throw started.find((result) => result.status === "rejected")?.reason;
  }
  project.provide("services", { private: address(open), keyed: { ...address(keyed), key: keyed.key } });
  return stop;
}

/** Omits functions, because the address is sent to other processes. */
function address({ appPid: _, stop: __, container: ___, ...rest }: Service): ServiceAddress {
  return rest;
}

declare module "vitest" {
  export interface ProvidedContext {
    services: { readonly private: ServiceAddress; readonly keyed: ServiceAddress & { readonly key: string } };
  }
}

// The whole service under test: the Worker under wrangler dev, and a container with its own scratch folders.

import { setTimeout as sleep } from "node:timers/promises";
import { type ContainerProcess, startContainer } from "../../scripts/services/container-process.ts";
import { workerdPids } from "../../scripts/services/dev-server.ts";
import { type Service, startService } from "../support/service.ts";
import { differences, Folders, type Inventory, inventoryOf } from "./inventory.ts";
import { type KnownProcess, knownProcesses } from "./process-kinds.ts";
import { processesBelow } from "./process-table.ts";
import type { Carrier } from "./sample.ts";
import { http } from "./transports.ts";

const LOOK_EVERY_MS = 250;
/** Time without changes after which the service counts as idle. */
const QUIET_MS = 3_000;
const RESTS_WITHIN_MS = 60_000;

export class FullService {
  readonly #service: Service;
  readonly #container: ContainerProcess;
  readonly #folders: Folders;
  readonly carrier: Carrier;

  private constructor(service: Service, container: ContainerProcess, folders: Folders) {
    this.#service = service;
    this.#container = container;
    this.#folders = folders;
    this.carrier = http(service.url, service.key);
  }

  /** Starts the keyed variant, because it has all endpoints. */
  static async start(): Promise<FullService> {
    const folders = await Folders.make();
    let container: ContainerProcess | undefined;
    try {
      container = await startContainer({ logFile: folders.logFile, env: folders.environment });
      return new FullService(await startService({ variant: "keyed", container }), container, folders);
    } catch (error) {
      await container?.stop();
      await folders.remove();
      throw error;
    }
  }

  /** Returns the folder of the Worker's local storage. */
  get storage(): string {
    return this.#service.persistTo;
  }

  /** Returns the processes of the container and of the Worker. */
  processes(): KnownProcess[] {
    const server = this.#container.pid;
    const workers = workerdPids(this.#service.pid);
    const wrangler = processesBelow(this.#service.pid).map((info) => {
      const place = workers.indexOf(info.pid);
      return { ...info, kind: place >= 0 ? ["worker", "worker-proxy"][place]! : wranglerKind(info.command) };
    });
    return [...(server === undefined ? [] : knownProcesses(server)), ...wrangler];
  }

  inventory(): Promise<Inventory> {
    return inventoryOf(this.processes(), this.#folders);
  }

  /** Counts job folders, of running jobs and of jobs that left files behind. */
  async jobFolderCount(): Promise<number> {
    const names = await this.#folders.list(this.#container.pid);
    return names.filter((name) => /\b(job|rewrite)$/.test(name)).length;
  }

  /** Waits until processes and folders no longer change. */
  async rest(): Promise<Inventory> {
    const until = performance.now() + RESTS_WITHIN_MS;
    let last = await this.inventory();
    for (let quietMs = 0; quietMs < QUIET_MS && performance.now() < until; quietMs += LOOK_EVERY_MS) {
      await sleep(LOOK_EVERY_MS);
      const now = await this.inventory();
      if (differences(last, now).length > 0) quietMs = 0;
      last = now;
    }
    return last;
  }

  /** Deletes stored files. @returns the IDs that did not exist */
  async remove(ids: Iterable<string>): Promise<readonly string[]> {
    const missing: string[] = [];
    for (const id of new Set(ids)) {
      const { status, body } = await fetch(`${this.#service.url}/resource/${id}`, { method: "DELETE" });
      await body?.cancel();
      if (status !== 204) missing.push(id);
    }
    return missing;
  }

  async stop(): Promise<void> {
    await this.#service.stop();
    await this.#container.stop();
    await this.#folders.remove();
  }
}

const wranglerKind = (command: string): string => (command.includes("esbuild") ? "esbuild" : "wrangler");

// The whole service under test: the Worker under wrangler dev or the host, and a container with scratch folders of its
// own.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pssBytes } from "../../container/processes/proc.ts";
import { type ContainerProcess, startContainer } from "../../scripts/services/container-process.ts";
import { workerdPids } from "../../scripts/services/dev-server.ts";
import { HOST_VARS, type Service, startService, type Target, targetOf } from "../support/service.ts";
import { differences, Folders, type Inventory, inventoryOf } from "./inventory.ts";
import { type KnownProcess, knownProcesses } from "./process-kinds.ts";
import { openFileCount, processesBelow } from "./process-table.ts";
import type { Carrier } from "./sample.ts";
import { storedObjects } from "./stored-objects.ts";
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
  static async start(target: Target = targetOf(process.env)): Promise<FullService> {
    const folders = await Folders.make();
    let container: ContainerProcess | undefined;
    try {
      container = await startContainer({ logFile: folders.logFile, env: folders.environment });
      const vars = target === "host" ? HOST_VARS : {};
      return new FullService(await startService({ target, variant: "keyed", container, vars }), container, folders);
    } catch (error) {
      await container?.stop();
      await folders.remove();
      throw error;
    }
  }

  /**
   * Returns the number of stored objects and of unfinished uploads, each with a description. Does not count the empty
   * objects that note which files were deleted.
   */
  async stored(): Promise<readonly (readonly [count: number, what: string])[]> {
    const { target, persistTo } = this.#service;
    if (target === "host") {
      const found = await readdir(join(persistTo, "objects"), { recursive: true, withFileTypes: true });
      const files = found.filter((entry) => entry.isFile() && !entry.parentPath.endsWith("/retired"));
      return [[files.length, `stored files, for example ${files[0]?.name}`]];
    }
    const { keys, openUploadCount } = storedObjects(persistTo);
    return [
      [keys.length, `objects that no answer told of, for example ${keys[0]}`],
      [openUploadCount, "uploads that were not finished"],
    ];
  }

  /** Returns the bytes of memory of all processes (proc(5), Pss), by kind, and the number of their open files. */
  async memory(): Promise<{ readonly bytes: ReadonlyMap<string, number>; readonly openFiles: number }> {
    const bytes = new Map<string, number>();
    let openFiles = 0;
    for (const { pid, kind } of this.processes()) {
      bytes.set(kind, (bytes.get(kind) ?? 0) + (await pssBytes(pid)));
      openFiles += openFileCount(pid);
    }
    return { bytes, openFiles };
  }

  /** Returns the processes of the container, and of the Worker or the host. */
  processes(): KnownProcess[] {
    const server = this.#container.pid;
    const workers = workerdPids(this.#service.pid);
    const own = processesBelow(this.#service.pid).map((info) => {
      const place = workers.indexOf(info.pid);
      if (place >= 0) return { ...info, kind: ["worker", "worker-proxy"][place]! };
      return { ...info, kind: this.#service.target === "host" ? "host" : wranglerKind(info.command) };
    });
    return [...(server === undefined ? [] : knownProcesses(server)), ...own];
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
    const headers = { "Api-Key": this.#service.key! };
    for (const id of new Set(ids)) {
      const { status, body } = await fetch(`${this.#service.url}/resource/${id}`, { method: "DELETE", headers });
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

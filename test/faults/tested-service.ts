// The container's service under test, in a separate process tree and separate scratch folders, and its idle state.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Service, startService } from "../support/service.ts";
import { differences, Folders, type Inventory, inventoryOf } from "./inventory.ts";
import { type KnownProcess, knownProcesses } from "./process-kinds.ts";
import { isAlive, type ProcessInfo, signalProcess } from "./process-table.ts";
import type { Carrier } from "./sample.ts";
import { frames, http } from "./transports.ts";

const HOST = new URL("./container-host.ts", import.meta.url);
const STARTS_WITHIN_MS = 120_000;
const ENDS_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 100;
/** Time for which the process tree and the folders must not change for the service to count as idle. */
const QUIET_MS = 1_500;
/** Matches log entries that report a second attempt of a job. */
const BEGUN_ANEW = /"message":"job retried"/g;

interface Address {
  readonly url: string;
  readonly secret: string;
  readonly vars: Readonly<Record<string, string>>;
}

export class TestedService {
  readonly #host: ChildProcess;
  readonly #address: Address;
  readonly #folders: Folders;
  #worker: Service | undefined;
  /** The inventory of the idle service after it has done each kind of job once. */
  atRest: Inventory = new Map();

  private constructor(host: ChildProcess, address: Address, folders: Folders) {
    this.#host = host;
    this.#address = address;
    this.#folders = folders;
  }

  /** Starts a service. Settles when all its engines run. @throws Error if an engine cannot be started */
  static async start(): Promise<TestedService> {
    const folders = await Folders.make();
    const host = spawn(process.execPath, ["--no-warnings", fileURLToPath(HOST)], {
      env: {
        ...process.env,
        ...folders.environment,
        FAULTS_LOG: folders.logFile,
      },
      detached: true,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    try {
      const ended = once(host, "exit").then(() => Promise.reject(new Error("The service did not start.")));
      ended.catch(() => {});
      const [address] = (await Promise.race([once(host, "message"), ended])) as [Address];
      await enginesOf(address);
      return new TestedService(host, address, folders);
    } catch (error) {
      host.kill("SIGKILL");
      await folders.remove();
      throw error;
    }
  }

  get hostPid(): number {
    return this.#host.pid!;
  }

  /** Sends jobs to the container itself. */
  get container(): Carrier {
    return frames(this.#address);
  }

  /** Sends jobs to the whole service, with a Worker in front of the container. The first call starts the Worker. */
  async worker(): Promise<Carrier> {
    this.#worker ??= await startService({ variant: "keyed", container: { vars: this.#address.vars } });
    return http(this.#worker.url, this.#worker.key);
  }

  processes(): KnownProcess[] {
    return knownProcesses(this.hostPid);
  }

  /** Counts the log entries about retried jobs. */
  async begunAnew(): Promise<number> {
    const logs = [this.#folders.logFile, ...(this.#worker ? [this.#worker.logFile] : [])];
    const texts = await Promise.all(logs.map((path) => readFile(path, "utf8").catch(() => "")));
    return texts.reduce((sum, text) => sum + [...text.matchAll(BEGUN_ANEW)].length, 0);
  }

  inventory(): Promise<Inventory> {
    return inventoryOf(this.processes(), this.#folders);
  }

  /** Waits until nothing has changed for a while, and records the idle state. */
  async rest(): Promise<void> {
    let last = "";
    for (let quietMs = 0; quietMs < QUIET_MS; quietMs += LOOK_EVERY_MS) {
      this.atRest = await this.inventory();
      const now = JSON.stringify([...this.atRest].toSorted());
      if (now !== last) quietMs = 0;
      last = now;
      await sleep(LOOK_EVERY_MS);
    }
  }

  /**
   * Waits until the service has returned to its idle state.
   * @param seen processes that existed in the meantime
   * @returns differences that remain after `withinMs`
   */
  async leftBehind(seen: Iterable<ProcessInfo>, withinMs: number): Promise<readonly string[]> {
    const candidates = [...seen];
    const until = performance.now() + withinMs;
    for (;;) {
      const left = [...differences(this.atRest, await this.inventory()), ...this.#orphans(candidates)];
      if (left.length === 0 || performance.now() > until) return left;
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** Returns the processes that are alive and no longer descend from the service. */
  #orphans(candidates: readonly ProcessInfo[]): string[] {
    const own = new Set(this.processes().map(({ pid }) => pid));
    return candidates
      .filter((candidate) => !own.has(candidate.pid) && isAlive(candidate))
      .map(({ command, state }) => `left behind: orphan (${state}) ${command.slice(0, 60)}`);
  }

  /** @returns processes and files that remain after the host was killed */
  async afterDeath(seen: Iterable<ProcessInfo>, withinMs: number): Promise<readonly string[]> {
    const until = performance.now() + withinMs;
    for (;;) {
      const alive = [...seen].filter(isAlive).map(({ command }) => `process ${command.slice(0, 60)}`);
      const left = [...alive, ...(await this.#folders.list(undefined))].map((what) => `left behind: ${what}`);
      if (left.length === 0 || performance.now() > until) return left;
      await sleep(LOOK_EVERY_MS);
    }
  }

  async stop(): Promise<void> {
    const processes = this.processes();
    await this.#worker?.stop();
    // A stopped process cannot end by itself.
    for (const { pid, state } of processes) if (state === "T") signalProcess({ pid }, "SIGCONT");
    this.#host.kill("SIGTERM");
    const until = performance.now() + ENDS_WITHIN_MS;
    while (processes.some(isAlive) && performance.now() < until) await sleep(LOOK_EVERY_MS);
    await this.kill(processes);
  }

  /** Kills every known process at once. */
  async kill(seen: Iterable<ProcessInfo>): Promise<void> {
    await this.#worker?.stop();
    this.#worker = undefined;
    for (const info of [...this.processes(), ...seen]) if (isAlive(info)) signalProcess(info, "SIGKILL");
    await this.#folders.remove();
  }
}

/** @throws Error if an engine has failed, or does not start in time */
async function enginesOf({ url }: Address): Promise<void> {
  const until = performance.now() + STARTS_WITHIN_MS;
  let text = "";
  while (performance.now() < until) {
    text = await fetch(`${url}/up`).then(
      (response) => response.text(),
      () => "",
    );
    const { jobs: _, status: __, ...modes } = JSON.parse(text || "{}") as Readonly<Record<string, string>>;
    const all = Object.values(modes);
    if (all.length > 0 && all.every((mode) => mode !== "starting" && mode !== "failed" && mode !== "")) return;
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(`Not all engines came up: ${text}`);
}

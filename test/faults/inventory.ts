// Inventory of a service: its processes by kind, and the folders in which it works.

import { chmod, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KnownProcess } from "./process-kinds.ts";
import { readProcess } from "./process-table.ts";

/** Number of processes and of folders, by kind. */
export type Inventory = ReadonlyMap<string, number>;

export async function inventoryOf(processes: readonly KnownProcess[], folders: Folders): Promise<Inventory> {
  const counts = new Map<string, number>();
  const add = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
  for (const { kind } of processes) add(`process ${kind}`);
  const server = processes.find(({ kind }) => kind === "server")?.pid;
  for (const folder of await folders.list(server)) add(folder);
  return counts;
}

/**
 * Kinds with one or two processes: a second JVM starts on demand, and stays; a renderer that the documents of a client
 * share stays for a minute, next to the one that waits for a page.
 */
const ONE_OR_TWO = new Set(["process verapdf", "folder verapdf", "process chromium-renderer"]);

/** Returns each kind whose count changed, with the change. */
export function differences(before: Inventory, after: Inventory): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((what) => {
    const [was, is] = [before.get(what) ?? 0, after.get(what) ?? 0];
    if (ONE_OR_TWO.has(what) && was > 0 && (is === 1 || is === 2)) return [];
    const more = is - was;
    if (more === 0) return [];
    return [more > 0 ? `left behind: ${more} ${what}` : `missing: ${-more} ${what}`];
  });
}

/** The folders in which the service works. */
export class Folders {
  readonly scratch: string;
  readonly memory: string;
  /** In a separate folder, which is deleted together with the other folders. */
  readonly logFile: string;

  /** Environment variables that make the container use these folders. */
  get environment(): Readonly<Record<string, string>> {
    return { SCRATCH_DIR: this.scratch, MEMORY_SCRATCH_DIR: this.memory };
  }

  private constructor(scratch: string, memory: string, logFile: string) {
    this.scratch = scratch;
    this.memory = memory;
    this.logFile = logFile;
  }

  /** Creates the folders, and deletes those that a killed run left behind. */
  static async make(): Promise<Folders> {
    const parents = [tmpdir(), "/dev/shm"];
    await Promise.all(parents.map(sweep));
    const make = (parent: string) => mkdtemp(join(parent, `${PREFIX}${process.pid}-`));
    const [scratch, memory, log] = await Promise.all([make(tmpdir()), make("/dev/shm"), make(tmpdir())]);
    // Engines run as separate users, which need search permission on these folders.
    for (const path of [scratch, memory]) await chmod(path, 0o711);
    return new Folders(scratch, memory, join(log, "container.log"));
  }

  /** Lists the folders of jobs and engines by kind, and folders of servers other than the running one. */
  async list(server: number | undefined): Promise<string[]> {
    const found: string[] = [];
    for (const [place, parent] of [
      ["folder", this.scratch],
      ["memory folder", this.memory],
    ] as const) {
      for (const name of await namesIn(parent)) {
        if (name.startsWith(`pagewright-${server}-`)) found.push(...(await this.#inside(place, join(parent, name))));
        else found.push(`${place} of another server`);
      }
    }
    return found;
  }

  /** Lists an engine's own folder, in which files of a job might remain. */
  async #inside(place: string, path: string): Promise<string[]> {
    const names = await namesIn(path);
    const files = names.map(async (name) => {
      const work = name.startsWith("zygote-") ? await namesIn(join(path, name, "work")) : [];
      return [`${place} ${name.split("-", 1)[0]}`, ...work.map(() => `file in an engine's ${place}`)];
    });
    return (await Promise.all(files)).flat();
  }

  async remove(): Promise<void> {
    const paths = [this.scratch, this.memory, join(this.logFile, "..")];
    await Promise.all(paths.map(remove));
  }
}

const PREFIX = "pagewright-faults-";

async function sweep(parent: string): Promise<void> {
  for (const name of await namesIn(parent)) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
    if (pid !== undefined && readProcess(Number(pid)) === undefined) await remove(join(parent, name));
  }
}

const remove = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });

async function namesIn(path: string): Promise<string[]> {
  const info = await stat(path).catch(() => undefined);
  return info?.isDirectory() ? readdir(path).catch(() => []) : [];
}

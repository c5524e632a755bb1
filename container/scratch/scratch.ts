// Provides folders for jobs and engines, on a disk or in memory. Deletes folders that a killed predecessor left behind.

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FolderReservation, MemoryScratch } from "./memory-scratch.ts";

/** One job's folder. Disposal deletes it. */
export interface JobFolder extends AsyncDisposable {
  readonly path: string;
  /** The folder's memory reservation, if it is in memory. */
  readonly memory?: FolderReservation;
}

const PREFIX = "pagewright-";

/**
 * Folders that this process created. Distinguishes them from folders that an earlier process with the same ID left
 * behind, which must be deleted.
 */
const own = new Set<string>();

/** A parent folder for job folders. Opening it deletes folders that a killed predecessor left behind. */
export class Scratch implements AsyncDisposable {
  readonly path: string;
  /** The parent folder in memory, for small jobs' folders. */
  readonly memoryPath: string | undefined;
  readonly #memory: MemoryScratch | undefined;
  private constructor(path: string, memoryPath?: string, memory?: MemoryScratch) {
    this.path = path;
    this.memoryPath = memoryPath;
    this.#memory = memory;
  }

  /**
   * Opens the parent folders on the disk and in memory.
   * @param parent a folder that engines, which run as other users, can enter. @default the system's folder for
   * temporary files
   * @param memoryParent a folder in memory with the same permissions, for small jobs. @default none
   */
  static async open(parent: string = tmpdir(), memoryParent?: string): Promise<Scratch> {
    await sweep(parent);
    const path = makeFolder(parent);
    if (memoryParent === undefined) return new Scratch(path);
    await sweep(memoryParent).catch(() => {});
    const memory = MemoryScratch.at(memoryParent);
    return memory ? new Scratch(path, makeFolder(memoryParent), memory) : new Scratch(path);
  }

  /**
   * Creates a folder that only this process's user can access.
   * @param kind start of the folder's name, for people who inspect the file system
   * @param bytes size of the files that the folder gets first. Required for a folder in memory; the caller must then
   * observe {@link JobFolder.memory}
   */
  async folder(kind = "job", bytes?: number): Promise<JobFolder> {
    const memory = bytes === undefined ? undefined : this.#memory?.enter(bytes);
    // Synchronous, because creating a folder is one fast system call. A round trip through the thread pool would take
    // ten times longer.
    if (memory === undefined) {
      const path = mkdtempSync(join(this.path, `${kind}-`));
      return { path, [Symbol.asyncDispose]: () => remove(path) };
    }
    const path = mkdtempSync(join(this.memoryPath!, `${kind}-`));
    return {
      path,
      memory,
      async [Symbol.asyncDispose]() {
        using _ = memory;
        try {
          rmSync(path, { recursive: true, force: true });
        } catch {
          await remove(path);
        }
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const path of [this.path, this.memoryPath]) {
      if (path === undefined) continue;
      await remove(path);
      own.delete(path);
    }
  }
}

function makeFolder(parent: string): string {
  const path = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  own.add(path);
  // Engines, which run as other users, can enter the folder but not list it.
  chmodSync(path, 0o711);
  return path;
}

/** Deletes a folder. Retries, because a process that is being killed can still create files. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}

async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-\\w+$`).exec(name) ?? [];
    const path = join(parent, name);
    if (pid === undefined || own.has(path) || (Number(pid) !== process.pid && isRunning(Number(pid)))) continue;
    // A folder that cannot be deleted belongs to a service of another user, which will delete it.
    await remove(path).catch(() => {});
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

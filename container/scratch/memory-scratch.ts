// Provides folders in memory (tmpfs(5)) for the files of small jobs, which takes a third less CPU time than on a disk.
// The folders have a total size limit. Jobs that need more space use a disk.

import { statfsSync } from "node:fs";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import { CONTAINER_LIMITS } from "../limits.ts";

/** A folder or file in memory reached its limit. The job can be retried on a disk. */
export class ScratchFull extends EngineFailure {
  constructor(detail: string) {
    super("too-large", detail);
  }
}

/** The memory reservation of one folder. Dispose of it after deleting the folder. */
export interface FolderReservation extends Disposable {
  /** Aborted with {@link ScratchFull} when all folders together exceed the limit. */
  readonly full: AbortSignal;
  /** Maximum size of a file in the folder. */
  readonly fileBytes: number;
}

const MIB = 2 ** 20;
/** statfs(2): TMPFS_MAGIC. */
const TMPFS = 0x01021994;
const MIN_BYTES = 8 * MIB;
const LOOK_EVERY_MS = 50;

export class MemoryScratch {
  /** Path below which folders are created. */
  readonly path: string;
  readonly #bytes: number;
  readonly #freeAtFirst: number;
  #folders = 0;
  #full = new AbortController();
  #watch: NodeJS.Timeout | undefined;

  private constructor(path: string, bytes: number, free: number) {
    this.path = path;
    this.#bytes = bytes;
    this.#freeAtFirst = free;
  }

  /** @returns undefined if there is no tmpfs at the path, or if it has too little free space */
  static at(path: string): MemoryScratch | undefined {
    try {
      const { type } = statfsSync(path);
      const free = freeBytes(path);
      const bytes = Math.min(CONTAINER_LIMITS.memoryFoldersBytes, Math.floor(free / 4));
      return type === TMPFS && bytes >= MIN_BYTES ? new MemoryScratch(path, bytes, free) : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Reserves memory for a folder, if possible.
   * @param bytes size of the files that the folder gets first
   * @returns undefined if these files are too large, or if half of the limit is in use
   */
  enter(bytes: number): FolderReservation | undefined {
    if (bytes > this.#bytes / 64 || this.#takenBytes() > this.#bytes / 2) return undefined;
    this.#folders++;
    this.#watch ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    let left = false;
    return {
      full: this.#full.signal,
      fileBytes: this.#bytes / 4,
      [Symbol.dispose]: () => {
        if (left) return;
        left = true;
        if (--this.#folders > 0) return;
        clearInterval(this.#watch);
        this.#watch = undefined;
      },
    };
  }

  #look(): void {
    if (this.#takenBytes() <= this.#bytes) return;
    this.#full.abort(new ScratchFull(`more than ${this.#bytes} bytes in memory`));
    this.#full = new AbortController();
  }

  /** Returns how many bytes the file system uses more than at the start, including other programs' files. */
  #takenBytes(): number {
    return this.#freeAtFirst - freeBytes(this.path);
  }
}

/** @returns 0 if the file system is unavailable, so that callers use a disk */
function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

// Provides folders in memory (tmpfs(5)) for the files of small jobs, which takes a third less CPU time than a disk.
// Limited in bytes; jobs that need more use a disk.

import { statfsSync } from "node:fs";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import { CONTAINER_LIMITS } from "../limits.ts";

/** A folder or a file in memory could not grow. The job can be retried on a disk. */
export class ScratchFull extends EngineFailure {
  constructor(detail: string) {
    super("too-large", detail);
  }
}

/** One folder's memory reservation. Dispose of it after deleting the folder. */
export interface FolderReservation extends Disposable {
  /** Aborted with {@link ScratchFull} when all folders together have grown too large. */
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
  /** Path where folders are made. */
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

  /** @returns undefined if there is no tmpfs, or too little free space in it */
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
   * Admits a folder.
   * @param bytes size of the folder's first contents
   * @returns undefined if the limit would be exceeded
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

  /** Returns the used bytes of the file system, including other programs' files. */
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

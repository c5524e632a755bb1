// Room in the machine's memory for the files of small jobs, where the system has a file system there (tmpfs(5)): a third
// less time of the processor than on a disk. Bounded by bytes: who would need more goes on elsewhere. Knows no job.

import { statfsSync } from "node:fs";
import { EngineFailure } from "../src/operations/operation.ts";

/** A folder or a file could not grow; on a disk it may. */
export class NoRoom extends EngineFailure {
  constructor(detail: string) {
    super("too-large", detail);
  }
}

/** One folder's part of it; disposing of it says that the folder is gone. */
export interface MemoryShare extends Disposable {
  /** Aborted with {@link NoRoom} when all folders together have grown too large. */
  readonly full: AbortSignal;
  /** The longest file that may be written there. */
  readonly fileBytes: number;
}

const MIB = 2 ** 20;
/** statfs(2): TMPFS_MAGIC. */
const TMPFS = 0x01021994;
const MOST_BYTES = 512 * MIB;
const LEAST_BYTES = 8 * MIB;
const LOOK_EVERY_MS = 50;

export class Memory {
  /** Where folders are made. */
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

  /** @returns undefined where there is no such file system, or hardly any room in it */
  static at(path: string): Memory | undefined {
    try {
      const { type } = statfsSync(path);
      const free = freeBytes(path);
      const bytes = Math.min(MOST_BYTES, Math.floor(free / 4));
      return type === TMPFS && bytes >= LEAST_BYTES ? new Memory(path, bytes, free) : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * @param bytes of what the folder begins with
   * @returns undefined where that is too much, or others have taken too much
   */
  enter(bytes: number): MemoryShare | undefined {
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
    this.#full.abort(new NoRoom(`more than ${this.#bytes} bytes in memory`));
    this.#full = new AbortController();
  }

  /** By whomever: who else uses it has the same right to it. */
  #takenBytes(): number {
    return this.#freeAtFirst - freeBytes(this.path);
  }
}

/** @returns 0 where that file system is gone: whoever needs room goes elsewhere */
function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

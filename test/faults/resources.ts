// Samples the resources of a busy service: memory and open files of its permanent processes, number of processes,
// number of job folders. Compares two periods by their medians.

import type { FullService } from "./full-service.ts";
import { PASSING_KINDS } from "./process-kinds.ts";
import { openFileCount, residentBytes } from "./process-table.ts";
import { median } from "./statistics.ts";

const MIB = 2 ** 20;
const LOOK_EVERY_MS = 1_000;
/** Allows for garbage that has not been collected, and for caches that fill. */
const GROWTH_BYTES = 32 * MIB;
const GROWTH_SHARE = 0.15;
/** Allows for connections and files that happen to be open at the time of a sample. */
const MORE_FILES = 12;
const MORE_PROCESSES = 2;
const MORE_FOLDERS = 1;
/**
 * The heaps of the JVMs grow up to their own limits; each JVM is replaced when it exceeds this size. A second JVM starts
 * on demand.
 */
const BOUNDS: Readonly<Record<string, number>> = { "memory of verapdf": 2 * 896 * MIB, "files of verapdf": 60 };

/** Programs of wrangler, which no deployment has. Their memory is reported, but not judged. */
const DEVELOPMENT_ONLY: ReadonlySet<string> = new Set(["wrangler", "esbuild", "worker-proxy"]);

/** Values by resource, for example memory by kind of process. */
type Measured = ReadonlyMap<string, number>;

interface Look {
  /** Completed share of the work, from 0 to 1. */
  readonly progress: number;
  readonly measured: Measured;
}

export class Resources {
  readonly #service: FullService;
  readonly #progress: () => number;
  readonly #looks: Look[] = [];
  readonly #timer: NodeJS.Timeout;

  /** @param progress from 0 to 1 */
  constructor(service: FullService, progress: () => number) {
    this.#service = service;
    this.#progress = progress;
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  /** Returns every resource that grew between the second and the last quarter of the work. */
  growth(): readonly string[] {
    return this.#pairs().flatMap(([what, before, after]) => {
      const isMore = after - before > allowed(what, before);
      return isMore && !isWithinBound(what, after)
        ? [`${what} grew from ${shown(what, before)} to ${shown(what, after)}`]
        : [];
    });
  }

  /** Returns the memory of the permanent processes, before and now. */
  get text(): string {
    const pairs = this.#pairs().filter(([what]) => what.startsWith("memory"));
    return pairs
      .map(([what, before, after]) => `${what.slice(10)} ${shown(what, before)} to ${shown(what, after)}`)
      .join(", ");
  }

  async #look(): Promise<void> {
    const processes = this.#service.processes();
    const measured = new Map<string, number>([["processes", processes.length]]);
    const add = (what: string, value: number) => measured.set(what, (measured.get(what) ?? 0) + value);
    for (const { pid, kind } of processes) {
      if (PASSING_KINDS.has(kind) || kind === "zombie") continue;
      add(`memory of ${kind}`, residentBytes(pid));
      add(`files of ${kind}`, openFileCount(pid));
    }
    measured.set("folders of jobs", await this.#service.jobFolderCount());
    this.#looks.push({ progress: this.#progress(), measured });
  }

  #pairs(): (readonly [what: string, before: number, after: number])[] {
    const names = new Set(this.#looks.flatMap(({ measured }) => [...measured.keys()]));
    const middle = (what: string, from: number, to: number) =>
      median(
        this.#looks
          .filter(({ progress, measured }) => progress >= from && progress < to && measured.has(what))
          .map(({ measured }) => measured.get(what)!),
      );
    const pairs = [...names].map((what) => [what, middle(what, 0.25, 0.5), middle(what, 0.75, 1.01)] as const);
    return pairs.filter(([, before, after]) => !Number.isNaN(before) && !Number.isNaN(after));
  }
}

function allowed(what: string, before: number): number {
  if (what.startsWith("memory")) return Math.max(GROWTH_BYTES, before * GROWTH_SHARE);
  if (what.startsWith("files")) return MORE_FILES;
  return what === "processes" ? MORE_PROCESSES : MORE_FOLDERS;
}

function isWithinBound(what: string, value: number): boolean {
  const kind = what.startsWith("memory of ") ? what.slice("memory of ".length) : "";
  return DEVELOPMENT_ONLY.has(kind) || value <= (BOUNDS[what] ?? -1);
}

const shown = (what: string, value: number): string =>
  what.startsWith("memory") ? `${Math.round(value / MIB)} MiB` : String(value);

// Finds stopped and oversized processes of a browser by their state in proc(5). Sends no commands to the browser:
// browser.ts detects a browser that does not respond.

import { childrenOf, read, stateIn, stateOf, statusOf } from "../../processes/proc.ts";

export interface WatchLimits {
  /** Maximum memory of one renderer, including shared memory. */
  readonly rendererBytes: number;
  /** Maximum memory of all processes of a browser. */
  readonly browserBytes: number;
}

/** A process that must be killed. */
export type Violation =
  | { readonly what: "renderer"; readonly pid: number; readonly reason: "stopped" | "too large" }
  | { readonly what: "browser"; readonly reason: string };

interface ProcessState {
  readonly pid: number;
  readonly parent: number;
  /**
   * Chromium's name for the kind of process: "" for the main process, `renderer`, `gpu-process`, `network`, `utility`
   * or `zygote`.
   */
  readonly kind: string;
  /** True if the process is stopped, by SIGSTOP or a debugger. */
  readonly isStopped: boolean;
  readonly bytes: number;
}

const SERVANTS = ["gpu-process", "network"];

export class Watchdog {
  readonly #pid: number;
  /** Processes whose kind is final: process ID to kind. */
  readonly #kinds = new Map<number, string>();
  /**
   * The long-lived processes that every page needs (GPU, network and zygotes): process ID to kind.
   */
  readonly #servants = new Map<number, string>();

  /** @param pid of the browser's main process */
  constructor(pid: number) {
    this.#pid = pid;
  }

  look(limits: WatchLimits): readonly Violation[] {
    const processes = this.#look();
    const stopped = stoppedOf(processes);
    if (stopped !== undefined) return [{ what: "browser", reason: stopped }];
    for (const { pid, parent, kind } of processes) {
      // A process that a zygote has just forked still has the zygote's name. The zygotes themselves are children of the
      // main process.
      if (SERVANTS.includes(kind) || (kind === "zygote" && parent === this.#pid)) this.#servants.set(pid, kind);
    }
    const fault = this.fault();
    if (fault !== undefined) return [{ what: "browser", reason: fault }];
    const renderers = processes.filter(({ kind }) => kind === "renderer");
    const findings = renderers.flatMap(({ pid, isStopped, bytes }): Violation[] => {
      if (isStopped) return [{ what: "renderer", pid, reason: "stopped" }];
      return bytes > limits.rendererBytes ? [{ what: "renderer", pid, reason: "too large" }] : [];
    });
    const total = processes.reduce((sum, { bytes }) => sum + bytes, 0);
    if (findings.length > 0 || total <= limits.browserBytes || renderers.length === 0) return findings;
    const largest = renderers.reduce((most, next) => (next.bytes > most.bytes ? next : most));
    return [{ what: "renderer", pid: largest.pid, reason: "too large" }];
  }

  /**
   * Returns the reason why the browser cannot continue, judged only by its long-lived processes. Takes a tenth of the
   * time of a full check, so every job can call it.
   */
  fault(): string | undefined {
    for (const [pid, kind] of [[this.#pid, "browser"] as const, ...this.#servants]) {
      const state = stateOf(pid);
      if (state === "running") continue;
      return `its process ${pid} ${kind} ${state === "ended" ? "ended" : "was stopped"}`;
    }
    return undefined;
  }

  /** Returns the IDs of the running renderer processes. */
  renderers(): number[] {
    return this.#look().flatMap(({ pid, kind }) => (kind === "renderer" ? [pid] : []));
  }

  /** Describes a stopped process that is not a renderer, if there is one. */
  stopped(): string | undefined {
    return stoppedOf(this.#look());
  }

  #look(): ProcessState[] {
    const members = [{ pid: this.#pid, parent: 0 }];
    const found: ProcessState[] = [];
    for (const { pid, parent } of members) {
      const state = this.#stateOf(pid, parent);
      if (state === undefined) continue;
      found.push(state);
      if (state.kind !== "" && state.kind !== "zygote") continue;
      members.push(...childrenOf(pid).map((child) => ({ pid: child, parent: pid })));
    }
    return found;
  }

  #stateOf(pid: number, parent: number): ProcessState | undefined {
    const status = statusOf(pid);
    const state = stateIn(status);
    if (state === "ended") return undefined;
    const kibibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
    return {
      pid,
      parent,
      kind: this.#kindOf(pid),
      isStopped: state !== "running",
      bytes: (kibibytes("RssAnon") + kibibytes("RssShmem")) * 1024,
    };
  }

  /**
   * Returns a process's kind. Not final at first: a renderer starts as a copy of the zygote, and the network process as
   * a copy of the main process.
   */
  #kindOf(pid: number): string {
    const known = this.#kinds.get(pid);
    if (known !== undefined) return known;
    const line = read(`/proc/${pid}/cmdline`);
    const kind = line.includes("NetworkService") ? "network" : (/--type=([a-z-]+)/.exec(line)?.[1] ?? "");
    if (kind !== "zygote" && kind !== "") this.#kinds.set(pid, kind);
    return kind;
  }
}

function stoppedOf(processes: readonly ProcessState[]): string | undefined {
  const stopped = processes.find(({ kind, isStopped }) => isStopped && kind !== "renderer");
  return stopped && `its process ${stopped.pid} ${stopped.kind} was stopped`;
}

// What a browser's processes are doing, as Linux tells it (proc(5)): which of them were stopped, which have grown too large.
// Knows no command of the browser's.

import { readdirSync, readFileSync } from "node:fs";

export interface WatchLimits {
  /** Of one renderer: memory of its own, shared memory included. */
  readonly rendererBytes: number;
  /** Of all processes of a browser. */
  readonly browserBytes: number;
}

/** What has to end. */
export type Finding =
  | { readonly what: "renderer"; readonly pid: number; readonly why: "stopped" | "too large" }
  | { readonly what: "browser"; readonly why: string };

interface ProcessState {
  readonly pid: number;
  /** Of Chromium's kinds: "" for the browser's own, `renderer`, `gpu-process`, `network`, `utility`, `zygote`. */
  readonly kind: string;
  /** Neither scheduled nor gone: by SIGSTOP, or by a debugger. */
  readonly isStopped: boolean;
  readonly bytes: number;
}

const SERVANTS = ["gpu-process", "network"];

export class Watch {
  readonly #pid: number;
  readonly #limits: WatchLimits;
  /** By pid, of processes that do not change any more. */
  readonly #kinds = new Map<number, string>();
  /** Those that every page needs and that live as long as the browser: drawing, and the network. */
  readonly #servants = new Set<number>();

  /** @param pid of the browser's main process */
  constructor(pid: number, limits: WatchLimits) {
    this.#pid = pid;
    this.#limits = limits;
  }

  /** How many renderers there are. */
  get rendererCount(): number {
    return this.#look().filter(({ kind }) => kind === "renderer").length;
  }

  look(): readonly Finding[] {
    const processes = this.#look();
    const frozen = processes.find(({ kind, isStopped }) => isStopped && kind !== "renderer");
    if (frozen) return [{ what: "browser", why: `its process ${frozen.pid} ${frozen.kind} was stopped` }];
    for (const { pid, kind } of processes) if (SERVANTS.includes(kind)) this.#servants.add(pid);
    const lost = [...this.#servants].find((servant) => processes.every(({ pid }) => pid !== servant));
    if (lost !== undefined) return [{ what: "browser", why: `its process ${lost} ${this.#kinds.get(lost)} ended` }];
    const renderers = processes.filter(({ kind }) => kind === "renderer");
    const findings = renderers.flatMap(({ pid, isStopped, bytes }): Finding[] => {
      if (isStopped) return [{ what: "renderer", pid, why: "stopped" }];
      return bytes > this.#limits.rendererBytes ? [{ what: "renderer", pid, why: "too large" }] : [];
    });
    const total = processes.reduce((sum, { bytes }) => sum + bytes, 0);
    if (findings.length > 0 || total <= this.#limits.browserBytes || renderers.length === 0) return findings;
    const largest = renderers.reduce((most, next) => (next.bytes > most.bytes ? next : most));
    return [{ what: "renderer", pid: largest.pid, why: "too large" }];
  }

  #look(): ProcessState[] {
    const pids = [this.#pid];
    const found: ProcessState[] = [];
    for (const pid of pids) {
      const state = this.#stateOf(pid);
      if (state === undefined) continue;
      found.push(state);
      if (state.kind === "" || state.kind === "zygote") pids.push(...childrenOf(pid));
    }
    return found;
  }

  #stateOf(pid: number): ProcessState | undefined {
    const status = read(`/proc/${pid}/status`);
    if (status === "" || /^State:\s+[ZX]/m.test(status)) return undefined;
    const kibibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
    return {
      pid,
      kind: this.#kindOf(pid),
      isStopped: /^State:\s+[Tt]/m.test(status),
      bytes: (kibibytes("RssAnon") + kibibytes("RssShmem")) * 1024,
    };
  }

  /** A renderer begins as a copy of the zygote. */
  #kindOf(pid: number): string {
    const known = this.#kinds.get(pid);
    if (known !== undefined) return known;
    const line = read(`/proc/${pid}/cmdline`);
    const kind = line.includes("NetworkService") ? "network" : (/--type=([a-z-]+)/.exec(line)?.[1] ?? "");
    if (kind !== "zygote") this.#kinds.set(pid, kind);
    return kind;
  }
}

function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`)
      .split(" ")
      .filter((child) => child !== "")
      .map(Number),
  );
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** @returns nothing of a process that has ended */
function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

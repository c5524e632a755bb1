// Reads the process tree below a given process from Linux (proc(5)). Reads only processes that descend from the given
// one.

import { readdirSync } from "node:fs";
import { childrenOf, read, statFields } from "../../container/processes/proc.ts";

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  /**
   * Start time in clock ticks since the machine started. Together with the process ID, it identifies a process
   * permanently.
   */
  readonly startedAt: number;
  /** State letter of proc(5). `Z`: ended, not yet reaped by its parent. `T`: stopped. */
  readonly state: string;
  readonly user: number;
  /** The command line with its arguments separated by spaces; empty for a zombie. */
  readonly command: string;
}

/** @returns undefined if the process has ended and been reaped */
export function readProcess(pid: number): ProcessInfo | undefined {
  const fields = statFields(read(`/proc/${pid}/stat`));
  if (fields.length < 20) return undefined;
  const status = read(`/proc/${pid}/status`);
  return {
    pid,
    parent: Number(fields[1]),
    startedAt: Number(fields[19]),
    state: fields[0]!,
    user: Number(/^Uid:\s+(\d+)/m.exec(status)?.[1] ?? -1),
    command: read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim(),
  };
}

/** Returns a process and all its descendants, parents before children. */
export function processesBelow(root: number): ProcessInfo[] {
  const pids = [root];
  const found: ProcessInfo[] = [];
  for (const pid of pids) {
    const info = readProcess(pid);
    if (info === undefined) continue;
    found.push(info);
    pids.push(...childrenOf(pid));
  }
  return found;
}

/** Reports whether the process is still running and its process ID was not reused. */
export function isAlive({ pid, startedAt }: Pick<ProcessInfo, "pid" | "startedAt">): boolean {
  const now = readProcess(pid);
  return now !== undefined && now.startedAt === startedAt && now.state !== "Z" && now.state !== "X";
}

/** @returns true if the process existed */
export function signalProcess({ pid }: Pick<ProcessInfo, "pid">, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

export function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

export function openFileCount(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

// The processes below one, as Linux tells them (proc(5)). Looks at nothing else but at pids that it was given.

import { readdirSync, readFileSync } from "node:fs";

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  /** In clock ticks since the machine started; with the pid it names a process for good. */
  readonly startedAt: number;
  /** A letter of proc(5): `Z` has ended and waits for its parent, `T` is stopped. */
  readonly state: string;
  readonly user: number;
  /** The command line, its arguments separated by blanks; empty for a zombie. */
  readonly command: string;
}

/** @returns undefined where it has ended and its parent knows */
export function readProcess(pid: number): ProcessInfo | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // After the name in parentheses, which may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
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

/** A process and all that descend from it, parents before children. */
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

/** Whether it still runs, and is not another process that was given its number. */
export function isAlive({ pid, startedAt }: Pick<ProcessInfo, "pid" | "startedAt">): boolean {
  const now = readProcess(pid);
  return now !== undefined && now.startedAt === startedAt && now.state !== "Z" && now.state !== "X";
}

/** @returns whether there was such a process */
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

// Reads the state of processes from proc(5). For a process that has ended, returns no children, no threads and empty
// text.

import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** A process that is `stopped` (SIGSTOP) or `traced` (by a debugger) is never scheduled. */
export type ProcessState = "running" | "stopped" | "traced" | "ended";

/** State letters of proc(5). Any other letter means that the process runs or waits. */
const STATES: Readonly<Record<string, ProcessState>> = { T: "stopped", t: "traced", Z: "ended", X: "ended" };

export const stateOf = (pid: number): ProcessState => stateIn(statusOf(pid));

/** Returns the text of /proc/pid/status, or "" if the process has ended. */
export const statusOf = (pid: number): string => read(`/proc/${pid}/status`);

/** @param status text that {@link statusOf} returned */
export function stateIn(status: string): ProcessState {
  const letter = /^State:\s+(\S)/m.exec(status)?.[1];
  return letter === undefined ? "ended" : (STATES[letter] ?? "running");
}

/** Returns the physical memory of a process, or 0 if it has ended. statm counts pages of 4 KiB. */
export const residentBytes = (pid: number): number => 4096 * Number(read(`/proc/${pid}/statm`).split(" ")[1] ?? 0);

/**
 * Returns the memory of a process, including its share of memory that several processes use (proc(5), Pss). Returns 0
 * if the process has ended. Takes milliseconds, because the kernel walks the page tables.
 */
export async function pssBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "latin1").catch(() => "");
  const kib = /^Pss:\s+(\d+) kB/m.exec(rollup)?.[1];
  return kib === undefined ? residentBytes(pid) : 1024 * Number(kib);
}

/** Returns processes and all their descendants. */
export function treeOf(pids: readonly number[]): number[] {
  const tree = [...pids];
  for (const pid of tree) tree.push(...childrenOf(pid));
  return tree;
}

export function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`)
      .split(" ")
      .filter((child) => child !== "")
      .map(Number),
  );
}

export function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/**
 * Returns the fields of a stat file (proc(5)) after the program name, because the name can contain spaces and
 * parentheses. Field 0 is the state, fields 11 to 14 are times.
 */
export const statFields = (stat: string): string[] => stat.slice(stat.lastIndexOf(")") + 2).split(" ");

/** @returns the text of a file, or "" if the process has ended */
export function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

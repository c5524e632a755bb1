// Measures the CPU time of processes, which depends less on other programs than elapsed time does.

import { readFileSync } from "node:fs";
import { read, statFields, treeOf } from "../../container/processes/proc.ts";

/** Unit of times in /proc in milliseconds. It is the same on every Linux. */
const TICK_MS = 10;

/**
 * Returns the CPU time that processes and their descendants have used, in milliseconds. Includes ended descendants, if
 * their parent has reaped them.
 */
export const processorMs = (pids: readonly number[]): number =>
  treeOf(pids).reduce((sum, pid) => sum + ownAndEnded(read(`/proc/${pid}/stat`)), 0);

/** Returns the CPU time of this process's ended children, in milliseconds. */
export const endedChildrenMs = (): number => {
  const [, , children, childrenInKernel] = timesIn(readFileSync("/proc/self/stat", "latin1"));
  return (children! + childrenInKernel!) * TICK_MS;
};

const ownAndEnded = (stat: string): number => timesIn(stat).reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;

/** Returns the four times of a process in proc(5): user and system time of the process and of its ended children. */
const timesIn = (stat: string): number[] => statFields(stat).slice(11, 15).map(Number);

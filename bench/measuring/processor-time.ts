// Measures the processor time that processes take, which says more than a clock on a machine that others use too.

import { readFileSync } from "node:fs";
import { read, statFields, treeOf } from "../../container/processes/proc.ts";

/** Unit of times in /proc, which is fixed. */
const TICK_MS = 10;

/**
 * Returns the processor time of processes and their descendants so far, in milliseconds. It includes descendants that
 * have ended, as soon as their parent knows.
 */
export const processorMs = (pids: readonly number[]): number =>
  treeOf(pids).reduce((sum, pid) => sum + ownAndEnded(read(`/proc/${pid}/stat`)), 0);

/** Returns the processor time of the programs that this process ran and that have ended, in milliseconds. */
export const endedChildrenMs = (): number => {
  const [, , children, childrenInKernel] = timesIn(readFileSync("/proc/self/stat", "latin1"));
  return (children! + childrenInKernel!) * TICK_MS;
};

const ownAndEnded = (stat: string): number => timesIn(stat).reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;

/** Returns the four times of a process in proc(5): its own ones, and those of ended children. */
const timesIn = (stat: string): number[] => statFields(stat).slice(11, 15).map(Number);

// Reads what proc(5) tells of processes. A process that has ended has no children, no threads and no text.

import { readdirSync, readFileSync } from "node:fs";

export function childrenOf(pid: number): number[] {
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

/** @returns the text of a file, or "" if the process has ended */
export function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

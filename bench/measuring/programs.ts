// Runs programs of peers, and measures their CPU time.
import { execFileSync } from "node:child_process";
import { endedChildrenMs } from "./processor-time.ts";

export function isInstalled(program: string): boolean {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Runs a program in a folder. @returns its CPU time, in milliseconds */
export function programTime([program, ...args]: readonly string[], folder: string): number {
  const before = endedChildrenMs();
  execFileSync(program!, args, { cwd: folder, stdio: "ignore" });
  return endedChildrenMs() - before;
}

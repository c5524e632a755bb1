// Measures the duration and the CPU time of requests and of programs.
import { execFile } from "node:child_process";
import { loadavg } from "node:os";
import { promisify } from "node:util";

/** Duration and CPU time of a request or a command, in milliseconds. */
export interface Measured {
  readonly time: number;
  readonly processorTime: number;
}

/** @param processorMs returns the CPU time so far of the processes that do the work */
export async function measured(work: () => Promise<unknown>, processorMs: () => number): Promise<Measured> {
  const processor = processorMs();
  const started = performance.now();
  await work();
  const time = performance.now() - started;
  return { time, processorTime: processorMs() - processor };
}

/** Runs a command. Asynchronous, because a blocked process would not close idle connections in time. */
export const runProgram = ([program, ...args]: readonly string[], cwd: string): Promise<unknown> =>
  promisify(execFile)(program!, args, { cwd, maxBuffer: 2 ** 26 });

export const loads = (): string =>
  loadavg()
    .map((load) => load.toFixed(1))
    .join(", ");

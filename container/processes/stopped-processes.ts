// Finds processes that were stopped (SIGSTOP), which would block their job until its timeout. A busy process is in
// another state.

import { stateOf } from "./proc.ts";

const LOOK_EVERY_MS = 500;

/**
 * Checks processes at an interval until disposed of.
 * @param pids returns the processes that run now
 * @param onStopped called with a process that was stopped at two consecutive checks, longer than by a debugger or
 * profiler
 */
export function watchForStopped(pids: () => Iterable<number>, onStopped: (pid: number) => void): Disposable {
  let before = new Set<number>();
  const look = () => {
    const stopped = new Set([...pids()].filter((pid) => stateOf(pid) === "stopped"));
    for (const pid of stopped) if (before.has(pid)) onStopped(pid);
    before = stopped;
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

// Finds stopped processes (SIGSTOP), because they would block their job until its timeout. A busy process is in another
// state.

import { stateOf } from "./proc.ts";

const LOOK_EVERY_MS = 500;

/**
 * Checks processes repeatedly until disposed of.
 * @param pids returns the IDs of the processes that run now
 * @param onStopped called with a process that was stopped at two consecutive checks: a debugger or profiler stops it
 * for a shorter time
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

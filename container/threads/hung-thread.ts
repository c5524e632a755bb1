// Detects worker threads that do not read their messages, because their code loops or waits forever. On a busy machine,
// a thread that only waits for a processor does not count as hung.

import { read, statFields } from "../processes/proc.ts";

const LOOK_EVERY_MS = 500;
/**
 * Maximum CPU time of a thread before it reads a message, in the kernel's unit (USER_HZ): 2 s. Far more than a thread
 * needs between two jobs.
 */
const MAX_TICKS = 200;
/**
 * Maximum number of consecutive checks at which the thread sleeps. If the whole process is stopped, the checks stop
 * too.
 */
const MAX_ASLEEP = 8;

/**
 * Monitors a thread after a message was sent, until disposed of or until the thread exits.
 * @param number returns the thread's ID in the system, or undefined if it is not known yet
 * @param onHung called once, if the thread runs or sleeps for too long
 */
export function watchForHungThread(number: () => number | undefined, onHung: () => void): Disposable {
  let first: number | undefined;
  let last: number | undefined;
  let asleep = 0;
  const look = () => {
    const thread = number();
    if (thread === undefined) return;
    const reading = readingOf(thread);
    if (!reading) return clearInterval(timer);
    const { ticks, sleeps } = reading;
    first ??= ticks;
    asleep = sleeps && ticks === last ? asleep + 1 : 0;
    last = ticks;
    if (ticks - first < MAX_TICKS && asleep < MAX_ASLEEP) return;
    clearInterval(timer);
    onHung();
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Reads a thread's state and CPU time (proc_pid_stat(5)). @returns undefined if the thread has ended */
function readingOf(thread: number): { readonly ticks: number; readonly sleeps: boolean } | undefined {
  const text = read(`/proc/self/task/${thread}/stat`);
  if (text === "") return undefined;
  const fields = statFields(text);
  return { ticks: Number(fields[11]) + Number(fields[12]), sleeps: fields[0] === "S" };
}

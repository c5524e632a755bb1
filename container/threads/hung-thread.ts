// Finds worker threads that read no messages, because their code loops or waits without an end. A thread that waits for
// a processor is not one of them, however busy the machine is.

import { read, statFields } from "../processes/proc.ts";

const LOOK_EVERY_MS = 500;
/** In the kernel's unit of processor time (USER_HZ): 2 s of work, far more than a thread does between two jobs. */
const MAX_TICKS = 200;
/** Looks in a row at which the thread slept. A stop of the whole process delays the looks as well. */
const MAX_ASLEEP = 8;

/**
 * Watches a thread that was sent a message, until disposed of or until the thread is gone.
 * @param number returns the thread's ID in the system, undefined until it has one
 * @param frozen called once, when the thread has worked or slept for long
 */
export function watchForHungThread(number: () => number | undefined, frozen: () => void): Disposable {
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
    frozen();
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Reads proc_pid_stat(5). @returns undefined if the thread has ended */
function readingOf(thread: number): { readonly ticks: number; readonly sleeps: boolean } | undefined {
  const text = read(`/proc/self/task/${thread}/stat`);
  if (text === "") return undefined;
  const fields = statFields(text);
  return { ticks: Number(fields[11]) + Number(fields[12]), sleeps: fields[0] === "S" };
}

// Garbage collection: V8 settings for processes that forward large buffers, and the release of memory that is unused.

import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Heap size at which a thread collects garbage for the first time. */
const FIRST_HEAP_MB = 64;
/** Interval between checks whether a thread is idle. */
const LOOK_MS = 10_000;
/** Maximum share of an interval in which an idle thread computes. Heartbeats and probes need less. */
const IDLE_SHARE = 0.01;
/** Minimum growth of a thread's memory since its last collection. */
const GROWTH_BYTES = 2 ** 23;

/**
 * Makes V8 collect garbage less often. By default, V8 marks the whole heap whenever 64 MiB of buffers were allocated,
 * even if most of them are no longer used: once per file of some MB. With these settings, buffers count as part of the
 * heap, whose limit grows with the live data.
 * @param growthPercent growth of the heap until V8 marks it again. Only for single-threaded processes, because it
 * applies to each thread. @default V8 decides
 */
export function collectLessOften(growthPercent?: number): void {
  if (growthPercent !== undefined) setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  setFlagsFromString("--external-memory-accounted-in-global-limit");
  // Applies to threads that start after this call.
  setFlagsFromString(`--initial-old-space-size=${FIRST_HEAP_MB}`);
}

/**
 * Returns the calling thread's unused memory to the system when the thread becomes idle. V8 alone keeps it, because it
 * collects garbage only while a thread allocates memory. A collection takes about 0.1 s of CPU time.
 * @param lookMs interval between checks. @default 10 s
 */
export function shrinkWhenIdle(lookMs = LOOK_MS): void {
  setFlagsFromString("--expose-gc");
  const collect: (options: object) => void = runInNewContext("gc");
  let usedMs = cpuMs();
  let smallest = 0;
  setInterval(() => {
    const before = usedMs;
    usedMs = cpuMs();
    smallest = Math.min(smallest, heldBytes());
    if (usedMs - before > IDLE_SHARE * lookMs || heldBytes() - smallest < GROWTH_BYTES) return;
    // Collects repeatedly, and leaves no room for new objects.
    collect({ type: "major", execution: "sync", flavor: "last-resort" });
    smallest = heldBytes();
    usedMs = cpuMs();
  }, lookMs).unref();
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function heldBytes(): number {
  const { total_heap_size, external_memory } = getHeapStatistics();
  return total_heap_size + external_memory;
}

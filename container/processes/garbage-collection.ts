// V8 settings for processes that forward large buffers.

import { setFlagsFromString } from "node:v8";

/** Size of a thread's heap at its first garbage collection. */
const FIRST_HEAP_MB = 64;

/**
 * Lets V8 collect garbage less often. By default, it marks the whole heap whenever 64 MiB of buffers were allocated,
 * which is once for each file of some MB, however few of them are alive. With these settings, buffers count as part of
 * the heap, whose limit grows with the live data.
 * @param growthPercent growth of the heap until it is marked again. Only for single-threaded processes, because it
 * applies to each thread. @default V8 decides, by a part of the heap
 */
export function collectLessOften(growthPercent?: number): void {
  if (growthPercent !== undefined) setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  setFlagsFromString("--external-memory-accounted-in-global-limit");
  // For threads that start from now on.
  setFlagsFromString(`--initial-old-space-size=${FIRST_HEAP_MB}`);
}

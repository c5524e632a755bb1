// Settings of V8 for processes that pass large buffers on.

import { setFlagsFromString } from "node:v8";

/** Size up to which the heap of a thread grows before it is collected for the first time. */
const FIRST_HEAP_MB = 64;

/**
 * Lets V8 collect garbage less often. By default, it marks the whole heap whenever 64 MiB of buffers were allocated,
 * which is once for each file of some MB, however few of them are alive. Now buffers count as a part of the heap, whose
 * limit grows with what is alive.
 * @param growthPercent growth of the heap until it is marked again, for a process with one thread: each thread takes
 * as much. @default V8 decides, by a part of the heap
 */
export function collectLessOften(growthPercent?: number): void {
  if (growthPercent !== undefined) setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  setFlagsFromString("--external-memory-accounted-in-global-limit");
  // For threads that start from now on.
  setFlagsFromString(`--initial-old-space-size=${FIRST_HEAP_MB}`);
}

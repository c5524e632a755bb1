// V8 settings for processes that forward large buffers.

import { setFlagsFromString } from "node:v8";

/** Heap size at which a thread collects garbage for the first time. */
const FIRST_HEAP_MB = 64;

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

// What becomes true after a while, however busy the machine is. Knows nothing of what it waits for.
import { vi } from "vitest";

/** Waits until an expectation holds. Long enough for any machine: that it takes long is not what a test is about. */
export const eventually = <T>(expectation: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(expectation, { timeout: 45_000, interval: 50 });

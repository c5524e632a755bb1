// Waits for a condition that becomes true after a while, however busy the machine is. Knows nothing about the
// condition.
import { vi } from "vitest";

/**
 * Waits until an expectation holds. Long enough for any machine: that it takes long is not what a test is about.
 * @param intervalMs time between two looks; short where what is expected does not last
 */
export const eventually = <T>(expectation: () => T | Promise<T>, { intervalMs = 50 } = {}): Promise<T> =>
  vi.waitFor(expectation, { timeout: 90_000, interval: intervalMs });

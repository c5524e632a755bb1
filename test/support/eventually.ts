// Waits for a condition that becomes true after some time, even on a busy machine.
import { vi } from "vitest";

/**
 * Waits until an expectation holds. The timeout is long enough for any machine, because no test is about this duration.
 * @param intervalMs time between two checks; short for a state that does not last long
 */
export const eventually = <T>(expectation: () => T | Promise<T>, { intervalMs = 50 } = {}): Promise<T> =>
  vi.waitFor(expectation, { timeout: 90_000, interval: intervalMs });

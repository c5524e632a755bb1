// Delays between attempts, and helpers to wait until a signal aborts.

const MIN_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** Maximum delay for Retry-After; longer ones are shortened. */
const MAX_ASKED_MS = 120_000;

/**
 * Returns the delay before the next attempt: Retry-After plus up to 25 %, or exponential backoff. The random part
 * prevents clients that failed together from retrying together.
 * @param attempt number of attempts that failed before this one
 * @param random random number from 0 to 1
 */
export function backoffMs(attempt: number, askedMs: number | undefined, random = Math.random()): number {
  if (askedMs !== undefined) return Math.min(askedMs, MAX_ASKED_MS) * (1 + random / 4) + random * 100;
  return Math.min(MIN_BACKOFF_MS * 2 ** attempt, MAX_BACKOFF_MS) * (0.5 + random / 2);
}

/** Rejects with the signal's reason as soon as it is aborted. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const leave = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", leave);
      resolve();
    }, ms);
    signal?.addEventListener("abort", leave, { once: true });
  });
}

/** Settles like the promise, or rejects with the signal's reason if it is aborted first. */
export async function raceAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  // Prevents an unhandled rejection if the signal is aborted and nothing else awaits the promise.
  promise.catch(() => {});
  signal.throwIfAborted();
  let leave = () => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

// Waits for a promise, but no longer than a job lasts.

/** Waits for a promise. @throws the signal's reason as soon as it is aborted, whatever becomes of the promise */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
    promise.catch(() => {});
  }
}

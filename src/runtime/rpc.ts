// Adds timeouts and retries to calls that cannot be aborted.

/** @throws Error if the work exceeds the limit; its later result is ignored */
export async function withTimeout<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no response within ${limitMs} ms`)), limitMs);
  try {
    return await Promise.race([work(), promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Calls a method of an object in another process. */
export type RpcCall<A> = <T>(question: (target: A) => Promise<T>) => Promise<T>;

/**
 * Retries each call once if it fails or times out.
 * @param connect returns a connection to the remote object; a failed connection is not reused
 */
export const retryOnce =
  <A>(limitMs: number, connect: () => A): RpcCall<A> =>
  (question) => {
    const once = () => withTimeout(limitMs, () => question(connect()));
    return once().catch(once);
  };

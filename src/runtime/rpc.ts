// Limits a wait whose work cannot be aborted.

/** @throws Error if the work takes longer; its result is then ignored */
export async function withTimeout<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  try {
    return await Promise.race([work(), promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks someone in another process a question. */
export type RpcCall<A> = <T>(question: (asked: A) => Promise<T>) => Promise<T>;

/**
 * Asks every question again that fails or gets no answer in time.
 * @param connect returns a connection to the one who is asked. One that has failed is not used again
 */
export const retryOnce =
  <A>(limitMs: number, connect: () => A): RpcCall<A> =>
  (question) => {
    const once = () => withTimeout(limitMs, () => question(connect()));
    return once().catch(once);
  };

// Runs work that handles everything due at once, however often it is requested.

/**
 * Returns a function that runs the work, one run at a time. Calls during a run share one further run, which starts after
 * all of them, and settle with it.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= last.then(() => {
      next = undefined;
      return work();
    });
    last = next.catch(() => {});
    return next;
  };
}

// Coalesces concurrent calls of a function. Each run of the function handles everything that is pending.

/**
 * Returns a function that runs the work, one run at a time. Calls during a run share one further run, which starts
 * after the current one. Each call settles with its run.
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

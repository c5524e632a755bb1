// Decouples a job from a client that reads more slowly than the job produces: writes the remaining output to storage,
// and sends it from there.

import { LIMITS } from "../../../document/contract/limits.ts";
import type { Semaphore } from "../../placement/semaphore.ts";
import type { Batch } from "../../storage/batch.ts";
import type { Store } from "../../storage/store.ts";
import { chunksOf } from "../requests/inputs.ts";

/** A body that is read chunk by chunk. */
export type Chunks = Pick<AsyncGenerator<Uint8Array>, "next" | "return">;

export interface Storing {
  readonly store: Store;
  /** Receives the remaining output. The creator of the batch must discard it. */
  readonly outputs: Batch;
  /**
   * Limits the jobs that write to storage because of a slow client. They run in addition to the jobs of other clients.
   */
  readonly overflowSemaphore: Semaphore;
  readonly signal: AbortSignal;
  /** Called once, when the whole body has been produced. */
  made(): void;
}

/**
 * Returns the chunks of a body while the job produces it. If the client has delayed the job for longer than the job
 * itself has taken, plus a tolerance, the remaining chunks are written to storage.
 */
export function overflowing(body: AsyncGenerator<Uint8Array>, storing: Storing): Chunks {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let leftMs: number = LIMITS.answerLagMs;
  let since = 0;
  let isLeft = false;
  let isMade = false;
  let isAsking = false;
  let rest: Promise<Chunks> | undefined;
  const end = () => {
    if (!isMade) storing.made();
    isMade = true;
  };
  const remaining = async function* () {
    try {
      for (let next = await body.next(); !next.done && !isLeft; next = await body.next()) yield next.value;
    } finally {
      await body.return(undefined);
      end();
    }
  };
  const overflow = async () => {
    const { overflowSemaphore, signal } = storing;
    // While this waits for a permit, the client continues to read the body.
    const permit = await overflowSemaphore.acquire(signal).catch(() => undefined);
    if (permit && !isMade && !isLeft) {
      rest = stored(remaining(), storing);
      await rest.catch(() => {});
    }
    permit?.[Symbol.dispose]();
  };
  const waitForClient = () => {
    since = performance.now();
    if (isAsking) return;
    timer = setTimeout(() => {
      isAsking = true;
      void overflow();
    }, leftMs);
  };
  waitForClient();
  return {
    async next() {
      clearTimeout(timer);
      if (rest) return (await rest).next();
      const requestedAt = performance.now();
      leftMs -= requestedAt - since;
      const next = await body.next();
      leftMs += performance.now() - requestedAt;
      if (next.done) end();
      else waitForClient();
      return next;
    },
    async return() {
      isLeft = true;
      clearTimeout(timer);
      await (rest ? rest.then((chunks) => chunks.return(undefined)) : body.return(undefined)).finally(end);
      return { done: true, value: undefined };
    },
  };
}

async function stored(body: AsyncIterable<Uint8Array>, { store, outputs }: Storing): Promise<Chunks> {
  const file = await outputs.add({ name: "rest", type: "application/octet-stream", body });
  outputs.flush();
  const { id } = await file.stored;
  const opened = await store.open(id);
  if (!opened) throw new Error("the rest of the response is no longer stored");
  return chunksOf(opened.body);
}

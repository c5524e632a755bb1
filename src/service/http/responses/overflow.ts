// Lets a job end whose client takes its output more slowly than it is made: the rest goes to storage, and from there to
// the client.

import { LIMITS } from "../../../document/contract/limits.ts";
import type { Semaphore } from "../../placement/semaphore.ts";
import type { Batch } from "../../storage/batch.ts";
import type { Store } from "../../storage/store.ts";
import { chunksOf } from "../requests/inputs.ts";

/** A body that is read chunk by chunk. */
export type Chunks = Pick<AsyncGenerator<Uint8Array>, "next" | "return">;

export interface Storing {
  readonly store: Store;
  /** Takes the rest. Whoever made it discards it. */
  readonly outputs: Batch;
  /** Limits how many are made without their clients, beside the jobs of clients that wait. */
  readonly overflowTurns: Semaphore;
  readonly signal: AbortSignal;
  /** Called once, when the body is made. */
  made(): void;
}

/**
 * Returns the chunks of a body that is being made. When the client has kept it waiting for longer than its making took,
 * and some time beside, the rest is made without the client.
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
    const { overflowTurns, signal } = storing;
    // Until it has its turn, the client goes on taking what it can.
    const turn = await overflowTurns.acquire(signal).catch(() => undefined);
    if (turn && !isMade && !isLeft) {
      rest = stored(remaining(), storing);
      await rest.catch(() => {});
    }
    turn?.[Symbol.dispose]();
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
      const asked = performance.now();
      leftMs -= asked - since;
      const next = await body.next();
      leftMs += performance.now() - asked;
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
  if (!opened) throw new Error("the rest of the answer is not in storage any more");
  return chunksOf(opened.body);
}

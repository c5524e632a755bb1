// Splits a job across n threads: thread k makes outputs k, k+n, …. The response has all outputs in order.

import { EngineFailure } from "../../src/document/contract/failure.ts";
import { type EncodedOutput, joinResponse, splitResponse } from "../../src/service/placement/remote.ts";
import { ReadAhead } from "./read-ahead.ts";

/** Counts the threads in use, so that a job uses further threads only if they are idle. */
export class ThreadAllocator {
  readonly #size: number;
  #claimed = 0;

  /** @param size maximum number of threads in use */
  constructor(size: number) {
    this.#size = size;
  }

  /** Claims one thread, even if none is idle. Claims more idle ones, up to `most` in total. */
  take(most = 1): ThreadAllocation {
    let count = Math.max(1, Math.min(most, this.#size - this.#claimed));
    this.#claimed += count;
    const keep = (kept: number) => {
      this.#claimed -= count - kept;
      count = kept;
    };
    return {
      get count() {
        return count;
      },
      keep,
      [Symbol.dispose]: () => keep(0),
    };
  }
}

export interface ThreadAllocation extends Disposable {
  /** Number of claimed threads. */
  readonly count: number;
  /** Releases all but this number of threads. */
  keep(count: number): void;
}

type Frames = AsyncIterable<Uint8Array>;

export interface PartitionedJob {
  readonly claim: ThreadAllocation;
  /** Maximum bytes that are buffered for a partition while it waits for an earlier output of another partition. */
  readonly aheadBytes: number;
  readonly signal: AbortSignal;
  /**
   * Runs one partition in a thread.
   * @returns the partition's frames; each output frame contains the number of outputs of the whole job
   */
  run(share: number, shares: number, signal: AbortSignal): Frames;
}

/**
 * Returns the frames of the whole job. Starts with one partition. Its first output has the total number of outputs,
 * which determines how many further threads have work.
 * @throws the signal's reason when aborted
 */
export async function* runPartitioned(job: PartitionedJob): AsyncGenerator<Uint8Array> {
  const over = new AbortController();
  const signal = AbortSignal.any([job.signal, over.signal]);
  const started: StartedShare[] = [];
  const start = (share: number, shares: number): StartedShare => {
    const frames = new ReadAhead(job.run(share, shares, signal), job.aheadBytes);
    const begun = { outputs: splitResponse(frames), ended: frames.ended };
    started.push(begun);
    return begun;
  };
  try {
    for await (const frame of joinResponse(outputsOf(job, start))) {
      job.signal.throwIfAborted();
      yield frame;
    }
  } finally {
    over.abort(new Error("the job has ended"));
    await Promise.all(started.map(({ ended }) => ended));
  }
}

interface StartedShare {
  readonly outputs: AsyncGenerator<EncodedOutput>;
  /** Resolves when the partition's thread is idle again. */
  readonly ended: Promise<void>;
}

async function* outputsOf(
  { claim }: PartitionedJob,
  start: (share: number, shares: number) => StartedShare,
): AsyncGenerator<EncodedOutput> {
  const shares = claim.count;
  const first = start(0, shares);
  let next = await first.outputs.next();
  const total = next.done ? 0 : next.value.total;
  claim.keep(Math.max(1, Math.min(shares, total)));
  const all = [first, ...Array.from({ length: claim.count - 1 }, (_, other) => start(other + 1, shares))];
  for (let place = 0; place < total; place++) {
    if (place > 0) next = await all[place % all.length]!.outputs.next();
    if (next.done) throw new EngineFailure("crashed", `output ${place + 1} of ${total} is missing`);
    yield next.value;
  }
  // Reads each partition to its end, because a thread that is busy when the job ends cannot be reused.
  for (const { outputs, ended } of all) {
    await outputs.next();
    await ended;
  }
}

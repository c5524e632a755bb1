// Where a job runs, edge or container: what it needs against what an isolate has. Knows no operation by name.
import { fileTooLarge } from "./errors.ts";
import {
  type Container,
  type Context,
  EngineFailure,
  type Input,
  type Operation,
  type Output,
} from "./operations/operation.ts";
import { remote } from "./operations/remote.ts";
import type { Turns } from "./turns.ts";

/** An operation with its parameters, and where it can be carried out. */
export interface Job {
  readonly edge?: Run;
  readonly container?: Run;
  /** What it has in memory at the edge: of a job of several inputs, only one at a time. */
  readonly holds: Holding;
}

/**
 * `input`: an engine and an input beside it; `input-and-output`: also an output as large; both need a turn, and room.
 * `part`: some of what it stores, among others that do; `nothing`: chunks on their way.
 */
export type Holding = "nothing" | "part" | "input" | "input-and-output";

type Run = (inputs: readonly Input[], context: Context) => AsyncIterable<Output>;

const bound =
  <P>(operation: Operation<P>, params: P): Run =>
  (inputs, context) =>
    operation(inputs, params, context);

/** A job that streams, and so has room at the edge whatever its inputs' size. */
export const streaming = <P>(operation: Operation<P>, params: P): Job => ({
  edge: bound(operation, params),
  holds: "nothing",
});

/**
 * A job that streams through the edge and does some work on the way; where it proves to need more room, in the container.
 * @param name of the operation in the container
 */
export const streamingWork = <P>(name: string, operation: Operation<P>, params: P): Job => ({
  edge: bound(operation, params),
  container: bound(remote<P>(name), params),
  holds: "part",
});

/**
 * A job for an engine at the edge; where its inputs or the engine's work turn out too large, for the same engine in the container.
 * @param name of the operation in the container
 */
export const edge = <P>(name: string, operation: Operation<P>, params: P, holds: Holding = "input"): Job => ({
  edge: bound(operation, params),
  container: bound(remote<P>(name), params),
  holds,
});

/** A job for an engine that is in the container alone. */
export const container = <P>(name: string, params: P): Job => ({
  container: bound(remote<P>(name), params),
  holds: "nothing",
});

/** What there is to place jobs on. */
export interface Places {
  /** Among jobs with an engine at the edge. */
  readonly engineTurns: Turns;
  /** Among jobs in the container, and others that hold nothing but a part of what they store. */
  readonly containerTurns: Turns;
  /** Among jobs in the container, until something comes of them. */
  readonly remoteTurns: Turns;
  /** Where there is one. */
  readonly container: Container | undefined;
}

/** One place to carry a job out. */
export interface Attempt {
  readonly where: "edge" | "container";
  run(context: Omit<Context, "heapLimitBytes" | "container">): AsyncIterable<Output>;
}

/** Workers end an isolate at 128 MB, which hold everything: code, requests, buffers, the Wasm heap and the input. */
const ISOLATE_BYTES = 128 * 2 ** 20;
/** Our code and its compiled data, a part being stored, an encoder's buffers, other requests' uploads. */
const BESIDE_THE_ENGINE_BYTES = 32 * 2 ** 20;
/** An engine that opens a document of the largest size needs at least this much (measured: 22 MiB to start with). */
const SMALLEST_HEAP_BYTES = 56 * 2 ** 20;
const LARGEST_HEAP_BYTES = 88 * 2 ** 20;

/** The most that a job can hold beside its engine. */
const EDGE_HELD_BYTES = ISOLATE_BYTES - BESIDE_THE_ENGINE_BYTES - SMALLEST_HEAP_BYTES;

/**
 * Where to try a job, best first: the next one only when the job {@link needsMoreRoom} and nothing came of it yet.
 * @throws ServiceError 413 where the inputs leave no room for an engine at the edge and there is no other place
 */
export function attempts(job: Job, inputs: readonly Input[], places: Places): readonly [Attempt, ...Attempt[]] {
  const copies = { nothing: 0, part: 0, input: 1, "input-and-output": 2 }[job.holds];
  const heldBytes = copies * inputs.reduce((largest, { size }) => Math.max(largest, size), 0);
  const elsewhere = job.container && places.container ? inContainer(job.container, inputs, places) : undefined;
  if (!job.edge) return [elsewhere ?? inContainer(job.container!, inputs, places)];
  if (job.holds === "nothing" || job.holds === "part") {
    const here = streamed(job.edge, inputs, job.holds === "part" ? places.containerTurns : undefined);
    return elsewhere ? [here, elsewhere] : [here];
  }
  if (heldBytes > EDGE_HELD_BYTES) {
    if (!elsewhere) throw fileTooLarge(EDGE_HELD_BYTES / copies);
    return [elsewhere];
  }
  const here = atEdge(job.edge, inputs, edgeHeapLimit(heldBytes), places);
  return elsewhere ? [here, elsewhere] : [here];
}

/** Whether the work was not to blame for what went wrong. */
export const wasLost = (error: unknown): boolean => error instanceof EngineFailure && error.reason === "lost";

/** Whether what went wrong need not go wrong where there is more memory. */
export const needsMoreRoom = (error: unknown): boolean =>
  error instanceof EngineFailure && error.reason === "too-large";

/** The most bytes the engine's heap may grow to beside so many others. */
const edgeHeapLimit = (heldBytes: number) =>
  Math.min(LARGEST_HEAP_BYTES, ISOLATE_BYTES - BESIDE_THE_ENGINE_BYTES - heldBytes);

function streamed(run: Run, inputs: readonly Input[], turns: Turns | undefined): Attempt {
  return {
    where: "edge",
    async *run(context) {
      using _turn = await turns?.take(context.signal);
      yield* run(inputs, { ...context, heapLimitBytes: 0 });
    },
  };
}

function atEdge(run: Run, inputs: readonly Input[], heapLimitBytes: number, { engineTurns }: Places): Attempt {
  return {
    where: "edge",
    async *run(context) {
      using _turn = await engineTurns.take(context.signal);
      yield* run(inputs, { ...context, heapLimitBytes });
    },
  };
}

function inContainer(run: Run, inputs: readonly Input[], places: Places): Attempt {
  const { containerTurns, remoteTurns, container } = places;
  return {
    where: "container",
    async *run(context) {
      using _place = await remoteTurns.take(context.signal);
      const outputs = run(inputs, { ...context, heapLimitBytes: 0, ...(container ? { container } : {}) });
      const iterator = outputs[Symbol.asyncIterator]();
      try {
        // Slow jobs wait here, and take no turn from others.
        let next = await iterator.next();
        using _turn = await containerTurns.take(context.signal);
        for (; !next.done; next = await iterator.next()) yield next.value;
      } finally {
        await iterator.return?.();
      }
    },
  };
}

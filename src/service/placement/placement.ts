// Decides where a job runs, at the edge or in the container, by comparing its memory needs with the limits of an
// isolate. All steps of a job run in one place. Does not know operations by name.

import { EngineFailure } from "../../document/contract/failure.ts";
import {
  type ContainerClient,
  type Context,
  type Input,
  type Operation,
  type OperationDeclaration,
  type Output,
  type Steps,
  stepOf,
} from "../../document/contract/operation.ts";
import { runSteps } from "../../operations/steps.ts";
import type { ProcessCapacity } from "../settings/capacity.ts";
import { runRemotely } from "./remote.ts";
import type { Semaphore } from "./semaphore.ts";

/** The steps of a job, and the backends that can run all of them. */
export interface JobPlan {
  readonly steps: Steps;
  readonly backends: readonly Backend["kind"][];
  /** Documents that the job keeps in memory at the edge. A job with several inputs holds one input at a time. */
  readonly memoryNeed: MemoryNeed;
}

/**
 * `input`: an engine plus one input. `input-and-output`: also an output of the same size. Both need a turn, and memory.
 * `part`: one part of the output, next to other such jobs. `nothing`: only chunks in transit.
 */
export type MemoryNeed = "nothing" | "part" | "input" | "input-and-output";

/** Returns a job that streams and therefore fits at the edge, whatever the size of its inputs. */
export const streamingJob = <P>(operation: Operation<P>, params: NoInfer<P>): JobPlan => ({
  steps: [stepOf<P>(operation, params)],
  backends: ["edge"],
  memoryNeed: "nothing",
});

/**
 * Returns a job that streams through the edge and does some work on the way. If it needs more memory than it has, it
 * moves to the container.
 */
export const streamingJobWithFallback = <P>(operation: Operation<P>, params: NoInfer<P>): JobPlan =>
  edgeJob(operation, params, "part");

/**
 * Returns a job for an engine at the edge. If the inputs or the engine's work are too large, the job runs on the same
 * engine in the container.
 */
export const edgeJob = <P>(operation: Operation<P>, params: NoInfer<P>, memoryNeed: MemoryNeed = "input"): JobPlan =>
  stepsJob([stepOf<P>(operation, params)], memoryNeed);

/** Returns a job for an engine that exists only in the container. */
export const containerJob = <P>(operation: OperationDeclaration<P>, params: NoInfer<P>): JobPlan => ({
  steps: [stepOf<P>(operation, params)],
  backends: ["container"],
  memoryNeed: "nothing",
});

/**
 * Returns a job of one or more steps. It runs at the edge if the Worker has the code of all of them, as
 * {@link edgeJob} does, and otherwise in the container, with one request.
 * @param memoryNeed the largest of any step. @default that of a step that holds the output of the one before it
 */
export const stepsJob = (steps: Steps, memoryNeed: MemoryNeed = "input-and-output"): JobPlan => ({
  steps,
  backends: steps.every(({ operation }) => operation.run) ? ["edge", "container"] : ["container"],
  memoryNeed,
});

/** The hosts that can run jobs, with their limits. */
export interface Backends {
  readonly budgets: ProcessCapacity;
  /** Limits jobs with an engine at the edge. */
  readonly engineSemaphore: Semaphore;
  /** Limits jobs in the container, and other jobs that hold only one part of their output. */
  readonly receiveSemaphore: Semaphore;
  /** Limits jobs in the container until their first output. */
  readonly containerSemaphore: Semaphore;
  /** The container, if there is one. */
  readonly container: ContainerClient | undefined;
}

/** One host that can run a job. */
export interface Backend {
  readonly kind: "edge" | "container";
  run(context: Omit<Context, "heapLimitBytes" | "container">): AsyncIterable<Output>;
}

/**
 * Memory for the service's code and its compiled data, a part being stored, an encoder's buffers and other requests'
 * uploads.
 */
const BESIDE_THE_ENGINE_BYTES = 32 * 2 ** 20;

/**
 * Returns the hosts on which to try a job, best first: only the container if the budgets prefer it and it can run the
 * job. The next one is tried only if the job {@link needsMoreMemory} and has produced no output yet.
 * @throws EngineFailure `too-large` if the inputs leave no memory for an engine at the edge and there is no other host
 */
export function selectBackends(
  job: JobPlan,
  inputs: readonly Input[],
  places: Backends,
): readonly [Backend, ...Backend[]] {
  const { budgets } = places;
  const copies = { nothing: 0, part: 0, input: 1, "input-and-output": 2 }[job.memoryNeed];
  const heldBytes = copies * inputs.reduce((largest, { size }) => Math.max(largest, size), 0);
  const { steps, backends } = job;
  const elsewhere = backends.includes("container") && places.container ? inContainer(steps, inputs, places) : undefined;
  if (!backends.includes("edge")) return [elsewhere ?? inContainer(steps, inputs, places)];
  if (elsewhere && budgets.preferredBackend === "container") return [elsewhere];
  if (job.memoryNeed === "nothing" || job.memoryNeed === "part") {
    const here = streamed(steps, inputs, job.memoryNeed === "part" ? places.receiveSemaphore : undefined);
    return elsewhere ? [here, elsewhere] : [here];
  }
  if (heldBytes > budgets.edgeHeldBytes) {
    if (!elsewhere) {
      const limitBytes = budgets.edgeHeldBytes / copies;
      throw new EngineFailure("too-large", `the largest input has ${heldBytes / copies} bytes`, { limitBytes });
    }
    return [elsewhere];
  }
  const here = atEdge(steps, inputs, edgeHeapLimit(heldBytes, budgets), places);
  return elsewhere ? [here, elsewhere] : [here];
}

/** Reports whether the job may succeed with more memory. */
export const needsMoreMemory = (error: unknown): boolean =>
  error instanceof EngineFailure && error.reason === "too-large";

/** Returns the memory for all engines at the edge together, and the documents that they read. */
export const engineMemoryBytes = ({ isolateBytes }: ProcessCapacity) => isolateBytes - BESIDE_THE_ENGINE_BYTES;

/** Returns the limit of the engine's heap next to the given number of held bytes. */
const edgeHeapLimit = (heldBytes: number, budgets: ProcessCapacity) =>
  Math.min(budgets.edgeHeapBytes, engineMemoryBytes(budgets) - heldBytes);

function streamed(steps: Steps, inputs: readonly Input[], turns: Semaphore | undefined): Backend {
  return {
    kind: "edge",
    async *run(context) {
      using _turn = await turns?.acquire(context.signal);
      yield* runSteps(steps, inputs, { ...context, heapLimitBytes: 0 });
    },
  };
}

function atEdge(
  steps: Steps,
  inputs: readonly Input[],
  heapLimitBytes: number,
  { engineSemaphore }: Backends,
): Backend {
  return {
    kind: "edge",
    async *run(context) {
      using _turn = await engineSemaphore.acquire(context.signal);
      yield* runSteps(steps, inputs, { ...context, heapLimitBytes });
    },
  };
}

function inContainer(steps: Steps, inputs: readonly Input[], places: Backends): Backend {
  const { receiveSemaphore, containerSemaphore, container } = places;
  return {
    kind: "container",
    async *run(context) {
      using _place = await containerSemaphore.acquire(context.signal);
      const within = { ...context, heapLimitBytes: 0, ...(container ? { container } : {}) };
      const outputs = runRemotely(steps, inputs, within);
      const iterator = outputs[Symbol.asyncIterator]();
      try {
        // Slow jobs wait here without taking a turn from others.
        let next = await iterator.next();
        using _turn = await receiveSemaphore.acquire(context.signal);
        for (; !next.done; next = await iterator.next()) yield next.value;
      } finally {
        await iterator.return?.();
      }
    },
  };
}

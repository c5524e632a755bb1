// Selects the backend of a job by comparing the job's memory needs with the limits of an isolate. All steps of a job
// run on the same backend.

import { EngineFailure } from "../../document/contract/failure.ts";
import { LIMITS } from "../../document/contract/limits.ts";
import {
  type ContainerClient,
  type Context,
  type Input,
  type Operation,
  type OperationDeclaration,
  type Output,
  type Step,
  type Steps,
  stepOf,
} from "../../document/contract/operation.ts";
import { runSteps, runThroughMemory } from "../../operations/steps.ts";
import type { PageImageCache } from "../ports/page-image-cache.ts";
import type { ProcessCapacity } from "../settings/capacity.ts";
import { needsSeveral, runDivided } from "./divided.ts";
import { runRemotely } from "./remote.ts";
import type { Semaphore } from "./semaphore.ts";
import { remoteTypefaces } from "./typefaces.ts";

/** The steps of a job, and the backends that can run all of them. */
export interface JobPlan {
  readonly steps: Steps;
  readonly backends: readonly Backend["kind"][];
  /** The documents that the job buffers at the edge. A job with several inputs buffers one of them at a time. */
  readonly memoryNeed: MemoryNeed;
  /** True if the input is a text, which has neither a password nor scanned pages. @default false */
  readonly isText?: boolean;
  /** A step after the others that runs in this process, because only this process has what it uses. @default none */
  readonly last?: Step;
  /** What to try first. A request with several steps does not. @default nothing */
  readonly first?: Trial | undefined;
}

/** A job that can fail before its first output. */
export interface Trial {
  readonly job: JobPlan;
  /** Returns the job that replaces it. @returns undefined if the request fails, too */
  otherwise(failure: EngineFailure): JobPlan | undefined;
}

/**
 * Data that a job buffers. `input`: an engine and one input. `input-and-output`: also an output of the same size. Both
 * need a permit and memory. `part`: one part of the output; several such jobs run concurrently. `nothing`: only chunks
 * in transit.
 */
export type MemoryNeed = "nothing" | "part" | "input" | "input-and-output";

/** Returns a streaming job, which can run at the edge for inputs of any size. Example: `streamingJob(zipFiles, {})`. */
export const streamingJob = <P>(operation: Operation<P>, params: NoInfer<P>): JobPlan => ({
  steps: [stepOf<P>(operation, params)],
  backends: ["edge"],
  memoryNeed: "nothing",
});

/**
 * Returns a streaming job that processes its data, not only passes it on. If the edge lacks the memory, the job runs in
 * the container.
 */
export const streamingJobWithFallback = <P>(operation: Operation<P>, params: NoInfer<P>): JobPlan =>
  edgeJob(operation, params, "part");

/**
 * Returns a job for an engine at the edge. If the inputs are too large, or the engine needs too much memory, the job
 * runs in the container with the same engine.
 */
export const edgeJob = <P>(operation: Operation<P>, params: NoInfer<P>, memoryNeed: MemoryNeed = "input"): JobPlan =>
  stepsJob([stepOf<P>(operation, params)], memoryNeed);

/** Returns a job for an engine that only the container has. */
export const containerJob = <P>(operation: OperationDeclaration<P>, params: NoInfer<P>): JobPlan => ({
  steps: [stepOf<P>(operation, params)],
  backends: ["container"],
  memoryNeed: "nothing",
});

/**
 * Returns a job with one or more steps. If the Worker contains the code of all steps, the job can run at the edge, like
 * an {@link edgeJob}. Otherwise it runs in the container, with one request for all steps.
 * @param memoryNeed the largest need of all steps. @default `input-and-output`: each step buffers the output of the
 *   previous step
 */
export const stepsJob = (steps: Steps, memoryNeed: MemoryNeed = "input-and-output"): JobPlan => ({
  steps,
  backends: steps.every(({ operation }) => operation.run) ? ["edge", "container"] : ["container"],
  memoryNeed,
});

/** The available backends, with their limits. */
export interface Backends {
  readonly budgets: ProcessCapacity;
  /** Limits jobs with an engine at the edge. */
  readonly engineSemaphore: Semaphore;
  /** Limits jobs that receive outputs from the container, and other jobs that buffer only one part of their output. */
  readonly receiveSemaphore: Semaphore;
  /** Limits jobs in the container that have not yielded their first output. */
  readonly containerSemaphore: Semaphore;
  /** The container; undefined if the deployment has none. */
  readonly container: ContainerClient | undefined;
  /** Caches fonts near the isolate. @default fonts are cached only in the isolate */
  readonly typefaceCache?: PageImageCache | undefined;
}

/** A backend that can run a job. */
export interface Backend {
  readonly kind: "edge" | "container";
  run(context: Omit<Context, "heapLimitBytes" | "container">): AsyncIterable<Output>;
}

/**
 * Memory of an isolate that engines cannot use: for code and compiled data, the part that is being stored, the buffers
 * of an encoder, and uploads of other requests.
 */
const BESIDE_THE_ENGINE_BYTES = 32 * 2 ** 20;

/**
 * Returns the backends for a job, best first. If the capacity settings prefer the container, and it can run the job,
 * returns only the container. The caller tries the next backend only if the job {@link needsMoreMemory} and has not
 * yielded an output.
 * @throws EngineFailure `too-large` if the inputs leave too little memory for an engine at the edge, and the job cannot
 *   run in the container
 */
export function selectBackends(
  job: JobPlan,
  inputs: readonly Input[],
  places: Backends,
): readonly [Backend, ...Backend[]] {
  const [first, ...others] = backendsFor(job, inputs, places);
  const { last } = job;
  if (!last) return [first, ...others];
  return [
    finishing(first, job.steps[0], last, inputs),
    ...others.map((one) => finishing(one, job.steps[0], last, inputs)),
  ];
}

/** Returns a backend whose outputs the last step reads, after the permits of the backend have been released. */
const finishing = ({ kind, run }: Backend, first: Step, last: Step, inputs: readonly Input[]): Backend => ({
  kind,
  run: (context) =>
    runThroughMemory([first, last], inputs, {
      run: (step, given) =>
        step === last ? last.operation.run!(given, last.params, { ...context, heapLimitBytes: 0 }) : run(context),
      limitFor: () => LIMITS.extractedTextBytes,
    }),
});

function backendsFor(job: JobPlan, inputs: readonly Input[], places: Backends): readonly [Backend, ...Backend[]] {
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

/** Reports whether the job might succeed with more memory. */
export const needsMoreMemory = (error: unknown): boolean =>
  error instanceof EngineFailure && error.reason === "too-large";

/** Returns the memory for all engines at the edge and the documents that they read. */
export const engineMemoryBytes = ({ isolateBytes }: ProcessCapacity) => isolateBytes - BESIDE_THE_ENGINE_BYTES;

/** Returns the heap limit of an engine at the edge. Buffered bytes reduce it. */
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
  { engineSemaphore, container, typefaceCache: cache }: Backends,
): Backend {
  return {
    kind: "edge",
    async *run(context) {
      using _turn = await engineSemaphore.acquire(context.signal);
      const typefaces = remoteTypefaces({ container, cache, context });
      yield* runSteps(steps, inputs, { ...context, typefaces, heapLimitBytes });
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
      const outputs =
        container && needsSeveral(steps, container)
          ? runDivided(steps, inputs, within, places.budgets.edgeHeldBytes)
          : runRemotely(steps, inputs, within);
      const iterator = outputs[Symbol.asyncIterator]();
      try {
        // The job acquires this permit only when its first output is ready, so that a slow job does not occupy one
        // while it computes.
        let next = await iterator.next();
        using _turn = await receiveSemaphore.acquire(context.signal);
        for (; !next.done; next = await iterator.next()) yield next.value;
      } finally {
        await iterator.return?.();
      }
    },
  };
}

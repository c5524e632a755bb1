// Runs a job whose steps need engines of different containers: one request for each step, with the documents between
// them in memory.

import {
  type ContainerClient,
  type Context,
  type Input,
  type Output,
  type Steps,
  stepOf,
} from "../../document/contract/operation.ts";
import { runThroughMemory } from "../../operations/steps.ts";
import { runRemotely } from "./remote.ts";

/** Reports whether no single container can run all steps: web pages and documents have containers of their own. */
export const needsSeveral = (steps: Steps, { isDivided }: ContainerClient): boolean =>
  isDivided === true &&
  steps.some(({ operation }) => operation.internet) &&
  steps.some(({ operation }) => !operation.run && !operation.internet);

/**
 * Yields the outputs of the last step. The first output reports the notices of all steps.
 * @param limitBytes limits the size of the outputs of a step
 * @throws EngineFailure, OutOfRange the error of a step; `too-large`
 */
export const runDivided = (
  steps: Steps,
  inputs: readonly Input[],
  context: Context,
  limitBytes: number,
): AsyncIterable<Output> =>
  runThroughMemory(steps, inputs, {
    run: ({ operation, params }, given) => runRemotely([stepOf(operation, params)], given.map(withoutStep), context),
    limitFor: () => limitBytes,
    onStep: (progress) => context.onStep?.(progress),
  });

/** The container runs one step, whose further files belong to it. */
const withoutStep = ({ step: _, ...input }: Input): Input => input;

// Runs a job whose steps need engines of different containers: one request for each step, with the documents between
// them in memory.

import type { Notice } from "../../document/contract/notice.ts";
import {
  type ContainerClient,
  type Context,
  type Input,
  memoryInput,
  type Output,
  type Step,
  type Steps,
  stepOf,
} from "../../document/contract/operation.ts";
import { readWhole } from "../../operations/in-memory.ts";
import { isProgress, runStages } from "../../operations/stages.ts";
import { spoolOutputs, withEarlier, withTotal } from "../../operations/steps.ts";
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
export async function* runDivided(
  steps: Steps,
  inputs: readonly Input[],
  context: Context,
  limitBytes: number,
): AsyncGenerator<Output> {
  const earlier: Notice[] = [];
  const runAlone = ({ operation, params }: Step, given: readonly Input[]) =>
    runRemotely([stepOf(operation, params)], given.map(withoutStep), context);
  const items = runStages<Step, Input, Output>(steps, inputs, {
    spool(step, given) {
      let leftBytes = limitBytes;
      return spoolOutputs(runAlone(step, given), given, earlier, async ({ name, role, body, headerPatch }) => {
        const whole = await readWhole(body, leftBytes);
        leftBytes -= whole.length;
        whole.set(headerPatch?.() ?? []);
        return memoryInput(whole, name, role);
      });
    },
    async *finish(step, given, runs) {
      for await (const output of runAlone(step, given)) yield withTotal(withEarlier(earlier, output), runs);
    },
  });
  for await (const item of items) {
    if (isProgress(item)) context.onStep?.(item);
    else yield item;
  }
}

/** The container runs one step, whose further files belong to it. */
const withoutStep = ({ step: _, ...input }: Input): Input => input;

// Runs the steps of a job in sequence in one process, passing documents in memory. The container passes them as files
// (container/jobs/container-job.ts).

import { EngineFailure } from "../document/contract/failure.ts";
import { withExtension } from "../document/contract/file-name.ts";
import type { Notice } from "../document/contract/notice.ts";
import {
  type Context,
  type Input,
  memoryInput,
  type Output,
  type Step,
  type Steps,
} from "../document/contract/operation.ts";
import { readWhole } from "./in-memory.ts";

/**
 * Yields the outputs of the last step. The first output reports the notices of all steps.
 * @throws EngineFailure, OutOfRange the error of the step that failed; `too-large` if the outputs of a step leave no
 * memory for the next step
 */
export async function* runSteps(steps: Steps, inputs: readonly Input[], context: Context): AsyncGenerator<Output> {
  const earlier: Notice[] = [];
  let [current, within] = [inputs, context];
  for (const step of steps.slice(0, -1)) {
    const expectedBytes = Math.max(0, ...current.map(({ size }) => size));
    // The next step might buffer its input and an output of the same size.
    const limitBytes = expectedBytes + within.heapLimitBytes / 2;
    current = await runInMemory(step, current, within, earlier, limitBytes);
    const excessBytes = Math.max(0, current.reduce((sum, { size }) => sum + size, 0) - expectedBytes);
    within = { ...within, heapLimitBytes: within.heapLimitBytes - 2 * excessBytes };
  }
  for await (const output of run(steps.at(-1)!, current, within)) yield withEarlier(earlier, output);
}

/** Adds notices of earlier steps to an output. Only the output whose notices are read first reports them. */
export const withEarlier = (earlier: Notice[], output: Output): Output => ({
  ...output,
  notices: () => [...earlier.splice(0), ...(output.notices?.() ?? [])],
});

/**
 * Runs one step, and returns its outputs as inputs of another step.
 * @param notices receives the notices of the outputs
 * @param limitBytes limits the size of all outputs together
 * @throws EngineFailure, OutOfRange the error of the step; `too-large`
 */
export function runInMemory(
  step: Step,
  inputs: readonly Input[],
  context: Context,
  notices: Notice[],
  limitBytes = Number.POSITIVE_INFINITY,
): Promise<Input[]> {
  let leftBytes = limitBytes;
  return spoolOutputs(run(step, inputs, context), inputs, notices, async ({ name, role, body, headerPatch }) => {
    const whole = await readWhole(body, leftBytes);
    leftBytes -= whole.length;
    whole.set(headerPatch?.() ?? []);
    return memoryInput(whole, name, role);
  });
}

/**
 * Stores the outputs of a step as inputs of the next step. An output without a name gets the name of the first input.
 */
export async function spoolOutputs<I extends Input>(
  outputs: AsyncIterable<Output>,
  [first]: readonly Input[],
  notices: Notice[],
  store: (output: Output & Pick<Input, "name">, index: number) => Promise<I>,
): Promise<I[]> {
  const stored: I[] = [];
  for await (const output of outputs) {
    const name = output.name ?? withExtension(first?.name ?? "document", output.extension);
    stored.push(await store({ ...output, name }, stored.length));
    notices.push(...(output.notices?.() ?? []));
  }
  return stored;
}

/** @throws EngineFailure `crashed` if this process does not contain the operation's code */
function run({ operation, params }: Step, inputs: readonly Input[], context: Context): AsyncIterable<Output> {
  if (!operation.run) throw new EngineFailure("crashed", `no code for ${operation.name}`);
  return operation.run(inputs, params, context);
}

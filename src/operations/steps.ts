// Runs the steps of a job in sequence in one process, passing documents in memory. The container passes them as files
// (container/jobs/container-job.ts).

import { EngineFailure } from "../document/contract/failure.ts";
import { withExtension } from "../document/contract/file-name.ts";
import type { Notice } from "../document/contract/notice.ts";
import type { Context, Input, Output, Step, Steps } from "../document/contract/operation.ts";
import { memoryInput, readWhole } from "./in-memory.ts";

/**
 * Yields the outputs of the last step. The first one reports the notices of all steps.
 * @throws EngineFailure, OutOfRange the error of the step that failed; `too-large` if the outputs of a step leave no
 * memory for the next one
 */
export async function* runSteps(steps: Steps, inputs: readonly Input[], context: Context): AsyncGenerator<Output> {
  let earlier: Notice[] = [];
  let [current, within] = [inputs, context];
  for (const step of steps.slice(0, -1)) {
    const expectedBytes = Math.max(0, ...current.map(({ size }) => size));
    // The next step might buffer its input and an output of the same size.
    const limitBytes = expectedBytes + within.heapLimitBytes / 2;
    current = await runInMemory(step, current, within, { notices: earlier, limitBytes });
    const excessBytes = Math.max(0, current.reduce((sum, { size }) => sum + size, 0) - expectedBytes);
    within = { ...within, heapLimitBytes: within.heapLimitBytes - 2 * excessBytes };
  }
  for await (const output of run(steps.at(-1)!, current, within)) {
    const untold = earlier;
    earlier = [];
    yield untold.length === 0 ? output : { ...output, notices: () => [...untold, ...(output.notices?.() ?? [])] };
  }
}

interface Collected {
  /** Receives the notices of the outputs. */
  readonly notices: Notice[];
  /** Limits the size of all outputs together. @default unlimited */
  readonly limitBytes?: number;
}

/**
 * Runs one step, and returns its outputs as inputs of another one.
 * @throws EngineFailure, OutOfRange the error of the step; `too-large`
 */
export async function runInMemory(
  step: Step,
  inputs: readonly Input[],
  context: Context,
  { notices, limitBytes = Number.POSITIVE_INFINITY }: Collected,
): Promise<Input[]> {
  const made: Input[] = [];
  let leftBytes = limitBytes;
  for await (const { name, extension, body, headerPatch, notices: lost } of run(step, inputs, context)) {
    const whole = await readWhole(body, leftBytes);
    leftBytes -= whole.length;
    whole.set(headerPatch?.() ?? []);
    notices.push(...(lost?.() ?? []));
    made.push(memoryInput(whole, name ?? withExtension(inputs[0]?.name ?? "document", extension)));
  }
  return made;
}

/** @throws EngineFailure `crashed` if this process does not contain the operation's code */
function run({ operation, params }: Step, inputs: readonly Input[], context: Context): AsyncIterable<Output> {
  if (!operation.run) throw new EngineFailure("crashed", `no code for ${operation.name}`);
  return operation.run(inputs, params, context);
}

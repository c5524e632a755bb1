// Runs the steps of a job in one process, passing documents in memory. The container passes them as files
// (container/jobs/container-job.ts).

import { EngineFailure } from "../document/contract/failure.ts";
import { stem } from "../document/contract/file-name.ts";
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
import { isProgress, runStages } from "./stages.ts";

/**
 * Yields the outputs of the last step. The first output reports the notices of all steps.
 * @throws EngineFailure, OutOfRange the error of the step that failed; `too-large` if the outputs of a step leave no
 * memory for the next step
 */
export async function* runSteps(steps: Steps, inputs: readonly Input[], context: Context): AsyncGenerator<Output> {
  const memory = new StepMemory(inputs, context);
  yield* runThroughMemory(steps, inputs, {
    run: (step, given) => run(step, given, memory.context),
    limitFor: (given) => memory.limitFor(given),
    replace: (given, made) => memory.replace(given, made),
    onStep: (progress) => context.onStep?.(progress),
  });
}

/** Runs single steps of a job whose documents are in memory between steps. */
interface MemoryRunner extends Pick<Context, "onStep"> {
  run(step: Step, inputs: readonly Input[]): AsyncIterable<Output>;
  /** Returns the maximum size of all outputs of a step. */
  limitFor(inputs: readonly Input[]): number;
  /** Called when a step has made documents of others. */
  replace?(inputs: readonly Input[], outputs: readonly Input[]): void;
}

/**
 * Yields the outputs of the last step. The first output reports the notices of all steps.
 * @throws EngineFailure, OutOfRange the error of the step that failed; `too-large`
 */
export async function* runThroughMemory(
  steps: Steps,
  inputs: readonly Input[],
  runner: MemoryRunner,
): AsyncGenerator<Output> {
  const earlier: Notice[] = [];
  const items = runStages<Step, Input, Output>(steps, inputs, {
    async spool(step, given) {
      const made = await spoolInMemory(runner.run(step, given), given, earlier, runner.limitFor(given));
      runner.replace?.(given, made);
      return made;
    },
    async *finish(step, given, runs) {
      yield* lastOutputs(runner.run(step, given), earlier, runs);
      runner.replace?.(given, []);
    },
  });
  for await (const item of items) {
    if (isProgress(item)) runner.onStep?.(item);
    else yield item;
  }
}

/** Counts the documents between steps, which reduce the memory of the next step. */
class StepMemory {
  readonly #context: Context;
  /** Size of the largest input, for which the context leaves memory. */
  readonly #expectedBytes: number;
  readonly #held = new Set<Input>();

  constructor(inputs: readonly Input[], context: Context) {
    this.#context = context;
    this.#expectedBytes = largest(inputs);
  }

  /** The context of the next step. */
  get context(): Context {
    const excessBytes = [...this.#held].reduce((sum, { size }) => sum + size, 0) - this.#expectedBytes;
    if (excessBytes <= 0) return this.#context;
    return { ...this.#context, heapLimitBytes: this.#context.heapLimitBytes - 2 * excessBytes };
  }

  /** Returns the maximum size of all outputs. The next step might buffer its input and an output of the same size. */
  limitFor(inputs: readonly Input[]): number {
    return largest(inputs) + this.context.heapLimitBytes / 2;
  }

  replace(inputs: readonly Input[], outputs: readonly Input[]): void {
    for (const input of inputs) this.#held.delete(input);
    for (const output of outputs) this.#held.add(output);
  }
}

const largest = (inputs: readonly Input[]): number => Math.max(0, ...inputs.map(({ size }) => size));

/**
 * Yields the outputs of one of several runs of the last step, with the number of outputs of all runs. The first output
 * of the job reports the notices of earlier steps.
 */
export async function* lastOutputs(
  outputs: AsyncIterable<Output>,
  earlier: Notice[],
  runs: number,
): AsyncGenerator<Output> {
  for await (const output of outputs) {
    yield withEarlier(earlier, runs === 1 ? output : { ...output, total: runs * (output.total ?? 1) });
  }
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
  return spoolInMemory(run(step, inputs, context), inputs, notices, limitBytes);
}

function spoolInMemory(
  outputs: AsyncIterable<Output>,
  inputs: readonly Input[],
  notices: Notice[],
  limitBytes: number,
): Promise<Input[]> {
  let leftBytes = limitBytes;
  return spoolOutputs(outputs, inputs, notices, async ({ name, role, body, headerPatch }) => {
    const whole = await readWhole(body, leftBytes);
    leftBytes -= whole.length;
    whole.set(headerPatch?.() ?? []);
    return memoryInput(whole, name, role);
  });
}

/**
 * Stores the outputs of a step as inputs of the next step. An output without a name gets the name of the first input,
 * with a number if there are several outputs.
 */
export async function spoolOutputs<I extends Input>(
  outputs: AsyncIterable<Output>,
  [first]: readonly Input[],
  notices: Notice[],
  store: (output: Output & Pick<Input, "name">, index: number) => Promise<I>,
): Promise<I[]> {
  const stored: I[] = [];
  for await (const output of outputs) {
    stored.push(await store({ ...output, name: nameOf(output, first, stored.length) }, stored.length));
    notices.push(...(output.notices?.() ?? []));
  }
  return stored;
}

function nameOf({ name, extension, suffix, total = 1 }: Output, first: Input | undefined, index: number): string {
  if (name !== undefined) return name;
  return `${stem(first?.name ?? "document")}${suffix ?? (total > 1 ? `_${index + 1}` : "")}.${extension}`;
}

/** @throws EngineFailure `crashed` if this process does not contain the operation's code */
function run({ operation, params }: Step, inputs: readonly Input[], context: Context): AsyncIterable<Output> {
  if (!operation.run) throw new EngineFailure("crashed", `no code for ${operation.name}`);
  return operation.run(inputs, params, context);
}

// Runs the stages of a job, independent of the place where their documents are stored.

import { EngineFailure, OutOfRange } from "../document/contract/failure.ts";
import { extensionIn } from "../document/contract/file-name.ts";
import type { Beginning, DocumentFilter, Input, Output, Step, StepProgress } from "../document/contract/operation.ts";

/** The properties of a step that determine the order of a job. */
type Ordered = Pick<Step, "begins">;

interface Stage<S> extends Pick<Beginning, "step" | "takes"> {
  /** Alternative steps, each for some documents. */
  readonly plans: { readonly only: DocumentFilter | undefined; readonly steps: S[] }[];
}

/** Without a beginning, all documents go through all steps together. */
const ONLY_STAGE: Beginning = { step: 0, takes: "all" };

function stagesOf<S extends Ordered>(steps: readonly S[]): readonly Stage<S>[] {
  const stages: Stage<S>[] = [];
  for (const one of steps) {
    const begins = one.begins ?? (stages.length === 0 ? ONLY_STAGE : undefined);
    if (begins) {
      const { step, takes, only, isAlternative } = begins;
      if (!isAlternative) stages.push({ step, takes, plans: [] });
      stages.at(-1)!.plans.push({ only, steps: [] });
    }
    stages.at(-1)!.plans.at(-1)!.steps.push(one);
  }
  return stages;
}

/** Reports whether the steps form several stages, or a stage that takes each document. */
export const isStaged = (steps: readonly Ordered[]): boolean => steps.some(({ begins }) => begins);

/** Runs single steps. */
export interface StepRunner<S, I, O> {
  /** Runs a step, and returns its outputs as inputs of the next step. */
  spool(step: S, inputs: readonly I[]): Promise<readonly I[]>;
  /**
   * Runs a last step.
   * @param runs number of runs of last steps in this job
   */
  finish(step: S, inputs: readonly I[], runs: number): AsyncIterable<O>;
}

/**
 * Yields the outputs of the last stage, in the order of its documents, and the progress after each step of the request.
 * @throws EngineFailure, OutOfRange the error of a step, with the index of the request's step; `no-document` if a stage
 *   has no document
 */
export async function* runStages<S extends Ordered, I extends Input, O extends Pick<Output, "body">>(
  steps: readonly S[],
  inputs: readonly I[],
  runner: StepRunner<S, I, O>,
): AsyncGenerator<O | StepProgress> {
  const stages = stagesOf(steps);
  const stepsTotal = stages.at(-1)!.step + 1;
  let documents = inputs.filter(({ step }) => step === undefined);
  for (const [index, stage] of stages.entries()) {
    const next = stages[index + 1];
    const further = inputs.filter(({ step }) => step === stage.step);
    try {
      const run = { stage, further, isLast: next === undefined, runner, isNamed: isStaged(steps) };
      documents = yield* runStage(documents, run);
      if (next && documents.length === 0) throw new EngineFailure("no-document", "a stage has no output");
    } catch (error) {
      throw isStaged(steps) ? inStage(error, stage) : error;
    }
    if (stepsTotal > 1 && next?.step !== stage.step) yield { stepsDone: stage.step + 1, stepsTotal };
  }
}

/** Names the step of the request in the error of an operation. */
function inStage(error: unknown, { step }: Pick<Beginning, "step">): unknown {
  if (error instanceof EngineFailure || error instanceof OutOfRange) error.step ??= step;
  return error;
}

/** Returns an output whose body names the step in its error. The body is produced after the output is yielded. */
const outputOf = <O extends Pick<Output, "body">>(output: O, stage: Pick<Beginning, "step">): O =>
  output.body instanceof Uint8Array ? output : { ...output, body: bodyOf(output.body, stage) };

async function* bodyOf(
  body: Exclude<Output["body"], Uint8Array>,
  stage: Pick<Beginning, "step">,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw inStage(error, stage);
  }
}

interface StageRun<S, I, O> {
  readonly stage: Stage<S>;
  /** Additional files that each run of the stage reads. */
  readonly further: readonly I[];
  readonly isLast: boolean;
  /** True to name the step in errors. */
  readonly isNamed: boolean;
  readonly runner: StepRunner<S, I, O>;
}

/** Yields the outputs of the last stage. Returns the outputs of another stage. */
async function* runStage<S extends Ordered, I extends Input, O extends Pick<Output, "body">>(
  documents: readonly I[],
  { stage, further, isLast, isNamed, runner }: StageRun<S, I, O>,
): AsyncGenerator<O, I[]> {
  const { takes, plans } = stage;
  const groups = takes === "all" ? [documents] : documents.map((document) => [document]);
  const outputs: I[] = [];
  for (const [index, group] of groups.entries()) {
    const plan = plans.find(({ only }) => only === undefined || isSelected(only, index, group));
    if (!plan && isLast) throw new EngineFailure("unsupported", "no step is for this document");
    let current = plan ? [...group, ...further] : group;
    const own = plan?.steps ?? [];
    for (const step of isLast ? own.slice(0, -1) : own) current = await runner.spool(step, current);
    if (!isLast) outputs.push(...current);
    else if (!isNamed) yield* runner.finish(own.at(-1)!, current, groups.length);
    else for await (const output of runner.finish(own.at(-1)!, current, groups.length)) yield outputOf(output, stage);
  }
  return outputs;
}

const isSelected = (only: DocumentFilter, index: number, [first]: readonly Input[]): boolean =>
  "indices" in only ? only.indices.includes(index) : only.extensions.includes(extensionIn(first?.name ?? ""));

/** Distinguishes the progress of a job from its outputs. */
export const isProgress = (item: object): item is StepProgress => "stepsDone" in item;

// Joins the jobs for single documents to a stage, in which each document goes through the steps of its own job.

import { extensionOf } from "../../document/contract/media-type.ts";
import type { Beginning, Input, Step } from "../../document/contract/operation.ts";
import type { JobPlan } from "../../service/placement/placement.ts";

/**
 * @param jobs the job of each document; undefined for a document that is passed on
 * @param step index of the request's step
 */
export function alternatives(
  jobs: readonly (JobPlan | undefined)[],
  documents: readonly Input[],
  step: number,
): readonly Step[] {
  const plans = Map.groupBy(jobs.keys(), (at) => fingerprint(jobs[at]));
  const converted = [...plans.values()].filter(([at]) => jobs[at!]);
  return converted.flatMap((indices, at) => {
    const only = plans.size === 1 ? {} : { only: filterFor(indices, documents) };
    const alternative = at === 0 ? {} : { isAlternative: true };
    return beginning(jobs[indices[0]!]!.steps, { step, takes: "each", ...only, ...alternative });
  });
}

/** Identifies the operations of a job and their parameters. */
const fingerprint = (job: JobPlan | undefined): string =>
  JSON.stringify(job?.steps.map(({ operation, params }) => [operation.name, params]) ?? []);

/** Inputs are distinguished by index, and the documents of later steps by extension. */
function filterFor(indices: readonly number[], documents: readonly Input[]): NonNullable<Beginning["only"]> {
  const types = indices.flatMap((index) => documents[index]!.type ?? []);
  return types.length === 0 ? { indices } : { extensions: types.flatMap((type) => extensionOf(type) ?? []) };
}

/** Returns the steps with a beginning. Steps that already form stages keep them. */
export function beginning([first, ...others]: JobPlan["steps"], begins: Beginning): readonly Step[] {
  const { step } = begins;
  return [
    { ...first, begins: first.begins ? { ...first.begins, step } : begins },
    ...others.map((other) => (other.begins ? { ...other, begins: { ...other.begins, step } } : other)),
  ];
}

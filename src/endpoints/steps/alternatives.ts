// Joins the jobs for single documents to a stage, in which each document goes through the steps of its own job.

import { extensionIn } from "../../document/contract/file-name.ts";
import type { Beginning, Input, Step } from "../../document/contract/operation.ts";
import type { JobPlan } from "../../service/placement/placement.ts";

/**
 * @param jobs the job of each document; undefined for a document that is passed on
 * @param step index of the request's step
 * @param fallback index of the job for documents that no other job is for. @default they are passed on
 */
export function alternatives(
  jobs: readonly (JobPlan | undefined)[],
  documents: readonly Input[],
  step: number,
  fallback?: number,
): readonly Step[] {
  const plans = Map.groupBy(jobs.keys(), (at) => fingerprint(jobs[at]));
  const converted = [...plans.values()].filter(([at]) => jobs[at!]);
  const isForAll = (indices: readonly number[]) => plans.size === 1 || indices.includes(fallback ?? -1);
  converted.sort((one, other) => Number(isForAll(one)) - Number(isForAll(other)));
  return converted.flatMap((indices, at) => {
    const only = isForAll(indices) ? {} : { only: filterFor(indices, documents) };
    const alternative = at === 0 ? {} : { isAlternative: true };
    return beginning(jobs[indices[0]!]!.steps, { step, takes: "each", ...only, ...alternative });
  });
}

/** Identifies the operations of a job and their parameters. */
const fingerprint = (job: JobPlan | undefined): string =>
  JSON.stringify(job?.steps.map(({ operation, params }) => [operation.name, params]) ?? []);

/** Inputs are distinguished by index, and the documents of later steps by extension. */
function filterFor(indices: readonly number[], documents: readonly Input[]): NonNullable<Beginning["only"]> {
  const later = indices.map((index) => documents[index]!).filter(({ type }) => type !== undefined);
  return later.length === 0 ? { indices } : { extensions: later.map(({ name }) => extensionIn(name)) };
}

/** Returns the steps with a beginning. Steps that already form stages keep them. */
export function beginning([first, ...others]: JobPlan["steps"], begins: Beginning): readonly Step[] {
  const { step } = begins;
  return [
    { ...first, begins: first.begins ? { ...first.begins, step } : begins },
    ...others.map((other) => (other.begins ? { ...other, begins: { ...other.begins, step } } : other)),
  ];
}

// The findings of a validator, in a form that does not depend on the validator.
import * as z from "zod";

/** A broken rule, with some of the locations in the file that break it. */
export interface RuleFailure {
  /** Clause of the requested part of ISO 19005, for example `6.2.11.4.1`. */
  readonly clause: string;
  /** Number of the validator's test within the clause, from 1. */
  readonly test: number;
  readonly places: readonly FailureLocation[];
}

/** A broken rule as the validator reports it. */
export interface ReportedFailure extends RuleFailure {
  /** Name of the standard, for example `ISO 19005-2:2011`. */
  readonly specification: string;
  /** The requirement. */
  readonly description: string;
  /** Number of failed checks. */
  readonly count: number;
}

export interface FailureLocation {
  /** Page number, from 1, if the location is on a page. */
  readonly pageNumber?: number;
  /** Object number, if the location is an object of the file. */
  readonly objectNumber?: number;
  /** The validator's description of the location. */
  readonly context: string;
}

const fields = {
  clause: z.string(),
  test: z.int(),
  places: z.array(
    z.object({ pageNumber: z.int().exactOptional(), objectNumber: z.int().exactOptional(), context: z.string() }),
  ),
};

export const ruleFailure: z.ZodType<RuleFailure> = z.object(fields);

export const reportedFailure: z.ZodType<ReportedFailure> = z.object({
  ...{ ...fields, specification: z.string(), description: z.string(), count: z.int() },
});

// Names the document that caused a failure, if a job has several.
import { EngineFailure, type FailureReason } from "../document/contract/failure.ts";
import type { Input } from "../document/contract/operation.ts";

/** Messages about a document that cannot be processed. */
const FAULTS: Readonly<Partial<Record<FailureReason, string>>> = {
  damaged: "is damaged",
  "not-a-pdf": "is not a PDF",
  "password-protected": "needs a password",
  "too-complex": "is too complex",
};

/**
 * Returns an input as the subject of a sentence.
 * @param index from 0
 * @param count number of all inputs
 */
export const subjectOf = ({ name }: Input, index: number, count: number): string =>
  count === 1 ? name : `${name}, number ${index + 1} of the ${count} inputs,`;

/** Returns an error that names the document, if a document caused it. @param subject see {@link subjectOf} */
export function naming(error: unknown, subject: string): unknown {
  const fault = error instanceof EngineFailure ? FAULTS[error.reason] : undefined;
  if (fault === undefined) return error;
  const { reason, detail, why } = error as EngineFailure;
  const sentence = `${subject} ${fault}.`;
  return new EngineFailure(reason, detail, { cause: error, why: why === undefined ? sentence : `${sentence} ${why}` });
}

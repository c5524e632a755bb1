// Finds the place on the page that an error concerns, and the reasons that its sentence lists.
import { camelCased } from "../../../client/core/error.ts";
import { parameterAnchor } from "../../../src/service/http/responses/help.ts";
import type { Operation } from "./operations.ts";

/** An answer that is not a success, or a connection that broke. */
export interface Problem {
  /** 0 if there was no answer. */
  readonly status: number;
  readonly sentence: string;
  readonly requestId?: string;
  /** Anchor of the explanation in the reference. */
  readonly help?: string;
  /** Parameter that the sentence names, in the client's spelling. */
  readonly parameter?: string;
}

/** `files`, `key`, the name of a field, `result` for what is done with files that were made, or `job` for all else. */
export type ProblemTarget = "files" | "key" | "job" | "result" | `field:${string}`;

/** Statuses of a request that stores one file for which the file, or its address, is the reason. */
const OF_THE_FILE = [400, 413, 422];

/** Reports whether the service would refuse to store the same file again. */
export const isAboutFile = ({ status }: Problem): boolean => OF_THE_FILE.includes(status);

/** Statuses of jobs that have failed because of their files. What has failed later has no help. */
const OF_FAILED_JOBS = [...OF_THE_FILE, 401];

export function problemTarget(
  problem: Pick<Problem, "status" | "help" | "parameter">,
  operation: Operation | undefined,
): ProblemTarget {
  const { status, help, parameter } = problem;
  const ofParameter = operation && targetOfParameter(problem, operation);
  if (ofParameter !== undefined) return ofParameter;
  if (help === undefined) {
    return operation && parameter === undefined && OF_FAILED_JOBS.includes(status) ? "files" : "job";
  }
  if (operation?.fileErrors.includes(help)) return "files";
  return status === 401 || status === 403 ? "key" : "job";
}

const SOURCES = ["file", "id", "url"];

function targetOfParameter(
  { help, parameter = "" }: Pick<Problem, "help" | "parameter">,
  { path, fields, perInput, orderedBy }: Operation,
): ProblemTarget | undefined {
  const isMeant = (name: string) =>
    help?.startsWith("error-") === false ? help === parameterAnchor(path, name) : parameter === camelCased(name);
  const ofFiles = [...SOURCES, ...(perInput ? [perInput.name] : []), ...(orderedBy === undefined ? [] : [orderedBy])];
  if (ofFiles.some(isMeant)) return "files";
  // A value within a profile is named by its path.
  const field =
    fields.find(({ name }) => isMeant(name)) ??
    fields.find(({ control }) => control === "code" && parameter.includes("."));
  return field && `field:${field.name}`;
}

/** A sentence, and the reasons that follow its colon: the rules of PDF/A that a document breaks. */
export interface Explained {
  readonly sentence: string;
  readonly reasons: readonly string[];
}

const NONCONFORMING = /^(The input file cannot be converted to [^:]+): (.+)\.$/s;

export function explain(sentence: string): Explained {
  const match = NONCONFORMING.exec(sentence);
  if (!match) return { sentence, reasons: [] };
  // Lists of pages have commas too, but their items are numbers.
  const reasons = match[2]!.split(/, (?!\d)/);
  return { sentence: `${match[1]}.`, reasons };
}

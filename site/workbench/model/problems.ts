// Finds the control on the page that an error concerns, and splits the list of reasons in its message.
import { camelCased } from "../../../client/core/error.ts";
import { parameterAnchor } from "../../../src/service/http/responses/help.ts";
import type { Operation } from "./operations.ts";

/** An error response, or a broken connection. */
export interface Problem {
  /** 0 if there was no response. */
  readonly status: number;
  readonly sentence: string;
  readonly requestId?: string;
  /** Anchor of the explanation in the reference. */
  readonly help?: string;
  /** Parameter that the message names, in the client's spelling. */
  readonly parameter?: string;
}

/** `files`, `key`, the name of a field, `result` for actions on output files, or `job` for anything else. */
export type ProblemTarget = "files" | "key" | "job" | "result" | `field:${string}`;

/** Statuses of an upload that are caused by the file or its URL. */
const OF_THE_FILE = [400, 413, 422];

/** Reports whether the service would reject the same file again. */
export const isAboutFile = ({ status }: Problem): boolean => OF_THE_FILE.includes(status);

/** Statuses of jobs that failed because of their files. An asynchronous job's error has no help URL. */
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
  { path, fields, files, perInput, orderedBy }: Operation,
): ProblemTarget | undefined {
  const isMeant = (name: string) =>
    help?.startsWith("error-") === false ? help === parameterAnchor(path, name) : parameter === camelCased(name);
  const ofFiles = [...SOURCES, ...(perInput ? [perInput.name] : []), ...(orderedBy === undefined ? [] : [orderedBy])];
  if (ofFiles.some(isMeant)) return "files";
  const file = files.find(({ name, id, url }) => [name, id, url].some(isMeant));
  if (file) return `field:${file.name}`;
  // A value in a profile is identified by its path.
  const field =
    fields.find(({ name }) => isMeant(name)) ??
    fields.find(({ control }) => control === "code" && parameter.includes("."));
  return field && `field:${field.name}`;
}

/** A message, and the reasons after its colon: the PDF/A rules that a document violates. */
export interface Explained {
  readonly sentence: string;
  readonly reasons: readonly string[];
}

const NONCONFORMING = /^(The input file cannot be converted to [^:]+): (.+)\.$/s;

export function explain(sentence: string): Explained {
  const match = NONCONFORMING.exec(sentence);
  if (!match) return { sentence, reasons: [] };
  // A comma before a number separates pages, not reasons.
  const reasons = match[2]!.split(/, (?!\d)/);
  return { sentence: `${match[1]}.`, reasons };
}

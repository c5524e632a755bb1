// Finds the control on the page to which an error belongs, and splits an error message into its sentence and its
// reasons.
import { camelCased } from "../../../client/core/error.ts";
import {
  passwordProtected,
  passwordRequired,
  passwordTooShort,
  permissionsRequired,
} from "../../../src/service/http/contract/errors.ts";
import { parameterAnchor } from "../../../src/service/http/responses/help.ts";
import { type FormField, type Operation, placeOf } from "./operations.ts";
import { stepNamedIn } from "./steps.ts";

/** An error response, or a broken connection. */
export interface Problem {
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly sentence: string;
  readonly requestId?: string;
  /** Anchor of the section in the reference that explains the error. */
  readonly help?: string;
  /** Name of the parameter in the message, in the client's spelling. */
  readonly parameter?: string;
}

/**
 * The part of the page at which an error is shown. `result`: the error of an action on output files. `step`: the error
 * of the step with this form. `job`: any error that belongs to no other part.
 */
export type ProblemTarget = "files" | "key" | "job" | "result" | `field:${string}` | `step:${string}`;

/** Statuses of a failed upload if the file or its URL is the cause. */
const OF_THE_FILE = [400, 413, 422];

/** The fields whose passwords cause errors that name no parameter, by the sentence of the error. */
const FIELDS_OF_PASSWORDS: ReadonlyMap<string, RegExp> = new Map([
  [passwordProtected().message, /^current_open_password$/],
  [passwordRequired().message, /^current_open_password$/],
  [permissionsRequired().message, /^current_permissions_password$/],
  [passwordTooShort().message, /^new_.*_password$/],
]);

/** Reports whether an error is caused by the file, so that the service would reject the file again. */
export const isAboutFile = ({ status }: Problem): boolean => OF_THE_FILE.includes(status);

/**
 * Statuses of a failed job if its files might be the cause. The status is needed, because errors of asynchronous jobs
 * have no help URL.
 */
const OF_FAILED_JOBS = [...OF_THE_FILE, 401];

export function problemTarget(problem: Omit<Problem, "requestId">, operation: Operation | undefined): ProblemTarget {
  const { status, help, parameter, sentence } = problem;
  const step = operation && stepNamedIn(sentence, operation);
  if (step) {
    const target = targetOfParameter(problem, step) ?? targetOfPassword(sentence, step);
    return target === undefined || target === "files" ? `step:${step.form}` : target;
  }
  const ofParameter = operation && (targetOfParameter(problem, operation) ?? targetOfPassword(sentence, operation));
  if (ofParameter !== undefined) return ofParameter;
  if (help === undefined) {
    return operation && parameter === undefined && OF_FAILED_JOBS.includes(status) ? "files" : "job";
  }
  if (operation?.fileErrors.includes(help)) return "files";
  return status === 401 || status === 403 ? "key" : "job";
}

function targetOfPassword(sentence: string, operation: Operation): ProblemTarget | undefined {
  // The name of an input can follow the sentence.
  const [, isMeant] = [...FIELDS_OF_PASSWORDS].find(([beginning]) => sentence.startsWith(beginning)) ?? [];
  const field = isMeant && operation.fields.find(({ name }) => isMeant.test(name));
  return field && `field:${placeOf(operation, field)}`;
}

const SOURCES = ["file", "id", "url"];

function targetOfParameter(
  { help, parameter = "" }: Pick<Problem, "help" | "parameter">,
  operation: Operation,
): ProblemTarget | undefined {
  const { path, fields, files, perInput, orderedBy } = operation;
  const isMeant = (name: string) =>
    help?.startsWith("error-") === false ? help === parameterAnchor(path, name) : parameter === camelCased(name);
  const ofFiles = [...SOURCES, ...(perInput ? [perInput.name] : []), ...(orderedBy === undefined ? [] : [orderedBy])];
  if (ofFiles.some(isMeant)) return "files";
  const file = files.find(({ name, id, url }) => [name, id, url].some(isMeant));
  if (file) return `field:${placeOf(operation, file)}`;
  // A parameter with a dot is the path of a value in JSON, and so is the name of a member.
  const isWithin = ({ control, content }: FormField) =>
    control === "code" &&
    (parameter.includes(".") ||
      Object.keys(content?.schema.properties ?? {}).some((key) => camelCased(key) === parameter));
  const field = fields.find(({ name }) => isMeant(name)) ?? fields.find(isWithin);
  return field && `field:${placeOf(operation, field)}`;
}

/** An error message, split at its colon. The reasons are the PDF/A rules that a document violates. */
export interface Explained {
  readonly sentence: string;
  readonly reasons: readonly string[];
}

const NONCONFORMING = /^(The input file cannot be converted to [^:]+): (.+)\.$/s;

export function explain(sentence: string): Explained {
  const match = NONCONFORMING.exec(sentence);
  if (!match) return { sentence, reasons: [] };
  // A comma before a number separates page numbers, not reasons.
  const reasons = match[2]!.split(/, (?!\d)/);
  return { sentence: `${match[1]}.`, reasons };
}

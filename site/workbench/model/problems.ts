// Finds the place on the page that an error concerns, and the reasons that its sentence lists.
import type { Operation } from "./operations.ts";

/** An answer that is not a success, or a connection that broke. */
export interface Problem {
  /** 0 if there was no answer. */
  readonly status: number;
  readonly sentence: string;
  readonly requestId?: string;
  /** Time after which the service may take the request. */
  readonly retrySeconds?: number;
}

/** `files`, `key`, the name of a field, `result` for what is done with files that were made, or `job` for all else. */
export type ProblemTarget = "files" | "key" | "job" | "result" | `field:${string}`;

const PARAMETER = [
  // The value may hold the same words, and a reason may follow.
  /^.* is not within the acceptable range for ([\w.[\]-]+)\.(?= |$)/s,
  /^The '(.+)' (?:field is (?:required|too large)|values do not match .+)\.$/s,
  /^Found more than one (.+) key, only one is allowed\.$/s,
  /^The '(.+)' file provided is not a JSON file/s,
];
const ABOUT_KEYS = [
  "An Api-Key header is required to send this request.",
  "The provided key is not valid.",
  "The key does not allow this endpoint.",
];
const ABOUT_FILES = [
  "Uploaded file is not valid input for this route.",
  "The input file",
  "The file exceeds",
  "The file at the URL",
  "The web page could not",
  "The address does not lead",
  "That file does not exist",
  "This route ",
  "Too many 'file'",
  "Too few 'file'",
];
const SOURCES = ["file", "id", "url", "type"];

/** Statuses of a request that stores one file for which the file, or its address, is the reason. */
const OF_THE_FILE = [400, 413, 422];

/** Reports whether the service would refuse to store the same file again. */
export const isAboutFile = ({ status }: Problem): boolean => OF_THE_FILE.includes(status);

export function problemTarget(
  { status, sentence }: Pick<Problem, "status" | "sentence">,
  operation: Operation | undefined,
): ProblemTarget {
  if (ABOUT_KEYS.includes(sentence)) return "key";
  const parameter = PARAMETER.map((pattern) => pattern.exec(sentence)?.[1]).find((name) => name !== undefined);
  if (parameter !== undefined) return placeOfParameter(parameter, operation);
  return status < 500 && ABOUT_FILES.some((start) => sentence.startsWith(start)) ? "files" : "job";
}

function placeOfParameter(parameter: string, operation: Operation | undefined): ProblemTarget {
  const plain = (name: string) => name.replace(/\[\]$/, "");
  const name = plain(parameter);
  if (SOURCES.includes(name) || (operation?.perInput && plain(operation.perInput.name) === name)) return "files";
  const field = operation?.fields.find((field) => plain(field.name) === name);
  // A value within a profile is named by its path.
  const holder = field ?? operation?.fields.find(({ kind }) => kind === "json" && parameter.includes("."));
  return holder ? `field:${holder.name}` : "job";
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

// The languages of code examples.
import type { Call, OperationCall } from "./call.ts";
import { cli } from "./cli.ts";
import { curl } from "./curl.ts";
import { javascript } from "./javascript.ts";
import { php } from "./php.ts";
import { python } from "./python.ts";

interface Language<C> {
  readonly id: string;
  readonly name: string;
  /** Language tag of Markdown code fences. */
  readonly code: string;
  /** @param calls at least one request; later requests use the files of earlier ones */
  write(calls: readonly C[]): string;
}

/** Languages for examples of any request. */
export const REQUEST_LANGUAGES: readonly Language<Call>[] = [
  { id: "curl", name: "curl", code: "sh", write: curl },
  { id: "javascript", name: "JavaScript", code: "js", write: javascript },
  { id: "python", name: "Python", code: "python", write: python },
];

export const LANGUAGES: readonly Language<OperationCall>[] = [
  ...REQUEST_LANGUAGES,
  { id: "php", name: "PHP", code: "php", write: php },
  { id: "cli", name: "CLI", code: "sh", write: cli },
];

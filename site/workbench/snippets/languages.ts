// Lists the languages of the code beside the form.
import type { Call } from "./call.ts";
import { cli } from "./cli.ts";
import { curl } from "./curl.ts";
import { javascript } from "./javascript.ts";
import { php } from "./php.ts";
import { python } from "./python.ts";

export interface Language {
  readonly id: string;
  readonly name: string;
  /** @param calls requests whose files the next ones take; at least one */
  write(calls: readonly Call[]): string;
}

export const LANGUAGES: readonly Language[] = [
  { id: "curl", name: "curl", write: curl },
  { id: "javascript", name: "JavaScript", write: javascript },
  { id: "python", name: "Python", write: python },
  { id: "php", name: "PHP", write: php },
  { id: "cli", name: "CLI", write: cli },
];

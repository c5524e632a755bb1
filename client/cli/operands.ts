// Parses the operands of a command: paths, folders, patterns, URLs, IDs and `-`. A page selection can follow after a
// colon.
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { glob, isDynamicPattern } from "tinyglobby";
import { UsageError } from "./usage-error.ts";

export interface Operand {
  readonly kind: "path" | "address" | "stored" | "stdin";
  /** Path, URL or ID. */
  readonly value: string;
  /** The operand as messages show it. */
  readonly shown: string;
  /** Page selection, such as `1-3`. */
  readonly pages?: string;
}

/** ID of a stored file. */
export const ID = /^[12][\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
/** A URL without a path. A number after its last colon is the port, not a page selection. */
const ORIGIN = /^https?:\/\/[^/?#]*$/i;
const SELECTION = /:((?:\d+|last|even|odd|all)(?:-(?:\d+|last))?(?:,(?:\d+|last|even|odd)(?:-(?:\d+|last))?)*)$/;

/** @throws UsageError if a pattern or folder has no file */
export async function readOperands(texts: readonly string[]): Promise<readonly Operand[]> {
  const operands: Operand[] = [];
  for (const text of texts) operands.push(...(await readOperand(text)));
  if (operands.filter(({ kind }) => kind === "stdin").length > 1) throw new UsageError("Only one operand can be -.");
  return operands;
}

async function readOperand(text: string): Promise<readonly Operand[]> {
  // If a file has the whole name, such as `minutes:3`, the end of the name is not a page selection.
  const hasNone = ORIGIN.test(text) || (await exists(text));
  const [, selection] = hasNone ? [] : (SELECTION.exec(text) ?? []);
  const value = selection === undefined ? text : text.slice(0, -selection.length - 1);
  const pages = selection === undefined ? {} : { pages: selection };
  if (value === "-") return [{ kind: "stdin", value, shown: "-", ...pages }];
  if (/^https?:\/\//i.test(value)) return [{ kind: "address", value, shown: value, ...pages }];
  if (ID.test(value)) return [{ kind: "stored", value, shown: value, ...pages }];
  const paths = await pathsOf(value);
  return paths.map((path) => ({ kind: "path", value: path, shown: path, ...pages }));
}

async function pathsOf(text: string): Promise<readonly string[]> {
  const facts = await stat(text).catch(() => undefined);
  if (facts?.isDirectory()) {
    const entries = await readdir(text, { withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith("."));
    if (files.length === 0) throw new UsageError(`${text} has no files.`);
    return files.map(({ name }) => join(text, name)).sort();
  }
  if (facts || !isDynamicPattern(text)) return [text];
  const found = await glob(text, { onlyFiles: true, expandDirectories: false });
  if (found.length === 0) throw new UsageError(`No file matches ${text}.`);
  return found.sort();
}

const exists = async (path: string) => (await stat(path).catch(() => undefined)) !== undefined;

/** Returns the file name of an operand, without extension. */
export function stemOf({ kind, value }: Operand): string {
  if (kind === "stdin") return "stdin";
  const name =
    kind === "address"
      ? decoded(new URL(value).pathname.split("/").at(-1) || new URL(value).hostname)
      : basename(value);
  return name.replace(/(?<=.)\.[^.]*$/, "") || name;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text).replaceAll("/", "_");
  } catch {
    return text;
  }
}

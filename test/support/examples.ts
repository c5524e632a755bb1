// Calls of every operation, derived from its declaration: the values of its example, and what the call must return. It
// runs in a browser as well.
import type { ListedOperation } from "../../src/service/http/contract/operation-list.ts";

/** Pages of the document with which each example is called. */
export const EXAMPLE_PAGES = 3;

/** Text for operations whose input is text. */
export const EXAMPLE_TEXT = "<p>Hello";

/** The name that examples of further files have, and a file for it: a picture of one dot. */
export const EXAMPLE_IMAGE = {
  name: "logo.png",
  base64: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};

/** Beginnings of files, by media type. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  "application/pdf": "%PDF",
  "application/zip": "PK\x03\x04",
  "image/bmp": "BM",
  "image/gif": "GIF8",
  "image/jpeg": "\xff\xd8\xff",
  "image/png": "\x89PNG",
  "image/tiff": "II*\0",
  "text/html": EXAMPLE_TEXT,
};

/** Data that the examples return, besides IDs. */
const DATA: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "/pdf-info": { page_count: EXAMPLE_PAGES, title: "", allQueriesProcessed: true },
};

/** Returns the values of an operation's example by parameter, without its inputs and their selections of pages. */
export function exampleValues({ example, parameters }: ListedOperation): Readonly<Record<string, unknown>> {
  const own = parameters.filter(({ perInput }) => !perInput).map(({ name }) => name);
  const values = Object.entries(example).map(([name, value]) => [name.replace("[]", ""), value] as const);
  return Object.fromEntries(values.filter(([name]) => own.includes(name)));
}

/** Returns the names of the example's further files, with a value for each. */
export const exampleFiles = <T>({ example, files }: ListedOperation, value: T): Readonly<Record<string, T>> =>
  Object.fromEntries(files.filter(({ name }) => name in example).map(({ name }) => [name, value]));

/** @returns the first bytes of the example's file, each as a character */
export function exampleBeginning({ path, output }: ListedOperation): string {
  const beginning = BEGINNINGS[output.type];
  if (beginning === undefined) throw new Error(`${path} returns ${output.type}, which BEGINNINGS lacks.`);
  return beginning;
}

export function exampleData({ path }: ListedOperation): Readonly<Record<string, unknown>> {
  const data = DATA[path];
  if (!data) throw new Error(`${path} returns data, which DATA lacks.`);
  return data;
}

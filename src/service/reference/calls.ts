// Derives example requests from descriptions. The snippets generated from these requests must run unchanged; tests
// execute each snippet.
import { extensionOf } from "../../document/contract/media-type.ts";
import { exampleFileName, type OperationDescription, type PathDescription } from "../http/contract/description.ts";
import type { Call } from "./snippets/call.ts";

/** Returns the example of an operation; undefined if it has none. */
export function callOf(path: PathDescription, operation: OperationDescription, baseUrl: string): Call | undefined {
  const { method, body, query = {}, responses, needsKey } = operation;
  const form = body?.["multipart/form-data"]?.example as Readonly<Record<string, unknown>> | undefined;
  if (method !== "get" && !form) return undefined;
  const entries = Object.entries(form ?? {}).flatMap(([name, value]) =>
    [value].flat().map((item): [string, string] => [name, String(item)]),
  );
  const type = preferredType(responses[200]?.content ?? {});
  const isFile = ([, value]: readonly [string, string]) => exampleFileName(value) !== undefined;
  return {
    method: method.toUpperCase(),
    url: baseUrl + filledIn(path) + queryOf(query),
    keyed: needsKey === true,
    ...(form && type ? { accept: type } : {}),
    files: entries.filter(isFile).map(([name, value]) => ({ name, value: exampleFileName(value)! })),
    texts: entries.filter((entry) => !isFile(entry)).map(([name, value]) => ({ name, value })),
    ...(type === undefined ? {} : { saveAs: nameOf(type, form?.output) }),
    isRedirect: 303 in responses,
  };
}

/** Media types of responses that an example prints instead of saving them as a file. */
const NOT_FILES: ReadonlySet<string> = new Set(["application/json", "application/ld+json", "text/event-stream", "*/*"]);

/**
 * Returns the media type with which an example requests a file instead of JSON; undefined if the endpoint returns no
 * file.
 */
function preferredType(content: Readonly<Record<string, { readonly example?: unknown }>>): string | undefined {
  const types = Object.keys(content).filter((type) => !NOT_FILES.has(type));
  // If the endpoint has several outputs, the last type is the archive.
  const example = content["application/json"]?.example as { readonly outputId?: unknown } | undefined;
  return Array.isArray(example?.outputId) ? types.at(-1) : types[0];
}

const filledIn = ({ path, placeholders = {} }: PathDescription): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(placeholders[name]?.example ?? name)));

function queryOf(query: NonNullable<OperationDescription["query"]>): string {
  const needed = Object.entries(query).flatMap(([name, { required, example }]) => (required ? [[name, example]] : []));
  return needed.length === 0 ? "" : `?${needed.map(([name, value]) => `${name}=${value}`).join("&")}`;
}

function nameOf(type: string, output: unknown): string {
  if (type === "application/octet-stream") return "result.pdf";
  return `${String(output ?? "result")}.${extensionOf(type) ?? type.split("/")[1]}`;
}

// Makes example requests of descriptions, and writes them as commands and programs. The texts run as they are: the tests
// execute each of them.
import { exampleFileName, type OperationDescription, type PathDescription } from "../http/contract/description.ts";

/** A request with its values. */
export interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text fields of the form, in order. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Files of the form: the name of the field and that of the file. */
  readonly files: readonly (readonly [name: string, fileName: string])[];
  /** Name under which the answer is saved; undefined if it is JSON, which is printed. */
  readonly saveAs: string | undefined;
  /** True if the answer leads to another one. */
  readonly isRedirect: boolean;
}

/** Returns the example of an operation; undefined if it has none. */
export function callOf(path: PathDescription, operation: OperationDescription, baseUrl: string): Call | undefined {
  const { method, body, query = {}, answers, needsKey } = operation;
  const form = body?.["multipart/form-data"]?.example as Readonly<Record<string, unknown>> | undefined;
  if (method !== "get" && !form) return undefined;
  const entries = Object.entries(form ?? {}).flatMap(([name, value]) =>
    [value].flat().map((item): [string, string] => [name, String(item)]),
  );
  const type = preferredType(answers[200]?.content ?? {});
  const key = needsKey ? { "Api-Key": API_KEY } : {};
  return {
    method: method.toUpperCase(),
    url: baseUrl + filledIn(path) + queryOf(query),
    headers: { ...key, ...(form && type ? { Accept: type } : {}) },
    fields: entries.filter(([, value]) => exampleFileName(value) === undefined),
    files: entries.flatMap(([name, value]) => {
      const fileName = exampleFileName(value);
      return fileName === undefined ? [] : [[name, fileName]];
    }),
    saveAs: type === undefined ? undefined : nameOf(type, form?.output),
    isRedirect: 303 in answers,
  };
}

/** Stands for the key in the headers of a call; each language writes it in its own way. */
const API_KEY = "$API_KEY";

/** Forms of answers that nobody saves as a file. */
const NOT_FILES: ReadonlySet<string> = new Set(["application/json", "application/ld+json", "text/event-stream", "*/*"]);

/** Returns the media type of a file that answers, if the answer need not be JSON. */
function preferredType(content: Readonly<Record<string, { readonly example?: unknown }>>): string | undefined {
  const types = Object.keys(content).filter((type) => !NOT_FILES.has(type));
  // Several outputs come as an archive.
  const example = content["application/json"]?.example as { readonly outputId?: unknown } | undefined;
  return Array.isArray(example?.outputId) ? types.at(-1) : types[0];
}

const filledIn = ({ path, placeholders = {} }: PathDescription): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(placeholders[name]?.example ?? name)));

function queryOf(query: NonNullable<OperationDescription["query"]>): string {
  const needed = Object.entries(query).flatMap(([name, { required, example }]) => (required ? [[name, example]] : []));
  return needed.length === 0 ? "" : `?${needed.map(([name, value]) => `${name}=${value}`).join("&")}`;
}

const EXTENSIONS: Readonly<Record<string, string>> = { "image/jpeg": "jpg", "image/tiff": "tif", "text/html": "html" };

function nameOf(type: string, output: unknown): string {
  if (type === "application/octet-stream") return "result.pdf";
  return `${String(output ?? "result")}.${EXTENSIONS[type] ?? type.split("/")[1]}`;
}

/** Writes a call in one language. */
export interface Language {
  readonly name: string;
  /** Word for code fences. */
  readonly code: string;
  write(call: Call): string;
}

export const LANGUAGES: readonly Language[] = [
  { name: "curl", code: "sh", write: curl },
  { name: "JavaScript", code: "js", write: javascript },
  { name: "Python", code: "python", write: python },
];

function curl({ method, url, headers, fields, files, saveAs, isRedirect }: Call): string {
  const quoted = (text: string) => `"${text.replace(/["\\`]/g, "\\$&")}"`;
  const plain = (text: string) => (/^[\w./@=:,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
  // --form-string: a value that begins with @ or < is not a file.
  const form = fields.map(
    ([name, value]) => `${/[;<@]/.test(value) ? "--form-string" : "-F"} ${plain(`${name}=${value}`)}`,
  );
  // After an error, there is no file: the sentence is that of a header field.
  const onError =
    saveAs === undefined
      ? "--fail-with-body"
      : `--fail --remove-on-error -w '%{onerror}%header{error}\\n' -o ${saveAs}`;
  const lines = [
    `curl ${onError}${isRedirect ? " -L" : ""} ${method === "GET" ? plain(url) : url}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...files.map(([name, fileName]) => `-F ${name}=@${fileName}`),
    ...form,
  ];
  return lines.join(" \\\n  ");
}

function javascript({ method, url, headers, fields, files, saveAs }: Call): string {
  const text = (value: string) => JSON.stringify(value);
  const values = Object.entries(headers).map(([name, value]) => {
    const key = /^\w+$/.test(name) ? name : text(name);
    return `${key}: ${value === API_KEY ? "process.env.API_KEY" : text(value)}`;
  });
  const isForm = fields.length + files.length > 0;
  const options = [
    ...(method === "GET" ? [] : [`  method: ${text(method)},`]),
    ...(values.length > 0 ? [`  headers: { ${values.join(", ")} },`] : []),
    ...(isForm ? ["  body: form,"] : []),
  ];
  const imports = [...(files.length > 0 ? ["openAsBlob"] : []), ...(saveAs === undefined ? [] : ["writeFileSync"])];
  return [
    ...(imports.length > 0 ? [`import { ${imports.join(", ")} } from "node:fs";`, ""] : []),
    ...(isForm ? ["const form = new FormData();"] : []),
    ...files.map(([name, file]) => `form.append(${text(name)}, await openAsBlob(${text(file)}), ${text(file)});`),
    ...fields.map(([name, value]) => `form.append(${text(name)}, ${text(value)});`),
    ...(options.length > 0
      ? [`const response = await fetch(${text(url)}, {`, ...options, "});"]
      : [`const response = await fetch(${text(url)});`]),
    "if (!response.ok) throw new Error((await response.json()).error);",
    saveAs === undefined
      ? "console.log(await response.json());"
      : `writeFileSync(${text(saveAs)}, Buffer.from(await response.arrayBuffer()));`,
  ].join("\n");
}

function python({ method, url, headers, fields, files, saveAs }: Call): string {
  const text = (value: string) => JSON.stringify(value);
  const pair = ([name, value]: readonly [string, string]) => `(${text(name)}, ${value})`;
  const usesKey = Object.values(headers).includes(API_KEY);
  const values = Object.entries(headers).map(
    ([name, value]) => `${text(name)}: ${value === API_KEY ? 'os.environ["API_KEY"]' : text(value)}`,
  );
  const list = (name: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`    ${name}=[`, ...items.map((item) => `        ${item},`), "    ],"];
  return [
    ...(usesKey ? ["import os", ""] : []),
    "import requests",
    "",
    `response = requests.${method.toLowerCase()}(`,
    `    ${text(url)},`,
    ...(values.length > 0 ? [`    headers={${values.join(", ")}},`] : []),
    ...list(
      "files",
      files.map(([name, file]) => pair([name, `open(${text(file)}, "rb")`])),
    ),
    ...list(
      "data",
      fields.map(([name, value]) => pair([name, text(value)])),
    ),
    "    timeout=300,",
    ")",
    "if not response.ok:",
    '    raise SystemExit(response.json()["error"])',
    ...(saveAs === undefined
      ? ["print(response.json())"]
      : [`with open(${text(saveAs)}, "wb") as output:`, "    output.write(response.content)"]),
  ].join("\n");
}

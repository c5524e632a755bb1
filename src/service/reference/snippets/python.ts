// Generates Python that uses the library `requests`.
import type { Call, Entry } from "./call.ts";

export const python = (calls: readonly Call[]): string =>
  [
    ...(calls.some(({ keyed, texts }) => keyed || texts.some(({ variable }) => variable !== undefined))
      ? ["import os", ""]
      : []),
    ...["import requests", ""],
    calls.map(request).join("\n\n"),
  ].join("\n");

function request({ method, url, keyed, accept, saveAs, files, texts }: Call): string {
  const headers = [
    ...(accept === undefined ? [] : [`"Accept": ${text(accept)}`]),
    ...(keyed ? ['"Api-Key": os.environ["API_KEY"]'] : []),
  ];
  const lines = [
    `response = requests.${method.toLowerCase()}(`,
    `    ${text(url)},`,
    ...(headers.length > 0 ? [`    headers={${headers.join(", ")}},`] : []),
    ...list(
      "files",
      files.map(({ name, value }) => `(${text(name)}, (${text(value)}, open(${text(value)}, "rb")))`),
    ),
    ...list(
      "data",
      texts.map((entry) => `(${text(entry.name)}, ${expressionOf(entry)})`),
    ),
    "    timeout=300,",
    ")",
    "if not response.ok:",
    '    raise SystemExit(response.json()["error"])',
    ...(saveAs === undefined
      ? ["print(response.json())"]
      : [`with open(${text(saveAs)}, "wb") as file:`, "    file.write(response.content)"]),
  ];
  return lines.join("\n");
}

const list = (name: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [`    ${name}=[`, ...items.map((item) => `        ${item},`), "    ],"];

const expressionOf = ({ value, variable }: Entry): string =>
  variable === undefined ? text(value) : `os.environ[${text(variable)}]`;

/** Every JSON string is also a valid Python string literal. */
const text = (value: string): string => JSON.stringify(value);

// Generates JavaScript for Node's fetch.
import type { Call, Entry } from "./call.ts";

export function javascript(calls: readonly Call[]): string {
  const imports = [
    ...(calls.some(({ files }) => files.length > 0) ? ['import { openAsBlob } from "node:fs";'] : []),
    ...(calls.some(({ saveAs }) => saveAs !== undefined) ? ['import { writeFile } from "node:fs/promises";'] : []),
  ];
  const texts = calls.map(request);
  // Several requests use the same variable names, so each request is in a block.
  const blocks = texts.length === 1 ? texts : texts.map((text) => `{\n${text.replaceAll(/^/gm, "  ")}\n}`);
  return [...imports, ...(imports.length > 0 ? [""] : []), ...blocks].join("\n");
}

function request({ method, url, keyed, accept, saveAs, files, texts }: Call): string {
  const isForm = files.length + texts.length > 0;
  const headers = [
    ...(accept === undefined ? [] : [`Accept: ${text(accept)}`]),
    ...(keyed ? ['"Api-Key": process.env.API_KEY'] : []),
  ];
  const options = [
    ...(method === "GET" ? [] : [`  method: ${text(method)},`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(", ")} },`] : []),
    ...(isForm ? ["  body: form,"] : []),
  ];
  const given = options.length > 0 ? `, {\n${options.join("\n")}\n}` : "";
  return [
    ...(isForm ? ["const form = new FormData();"] : []),
    ...files.map(({ name, value }) => `form.append(${text(name)}, await openAsBlob(${text(value)}), ${text(value)});`),
    ...texts.map((entry) => `form.append(${text(entry.name)}, ${expressionOf(entry)});`),
    ...(isForm ? [""] : []),
    `const response = await fetch(${text(url)}${given});`,
    "if (!response.ok) throw new Error((await response.json()).error);",
    saveAs === undefined ? "console.log(await response.json());" : `await writeFile(${text(saveAs)}, response.body);`,
  ].join("\n");
}

const expressionOf = ({ value, variable }: Entry): string =>
  variable === undefined ? text(value) : `process.env.${variable}`;

const text = (value: string): string => JSON.stringify(value);

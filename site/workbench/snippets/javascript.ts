// Writes a request in JavaScript, for Node's fetch.
import type { Call } from "./call.ts";

export function javascript({ baseUrl, path, keyed, accept, saveAs, files, texts }: Call): string {
  const key = keyed ? ', "Api-Key": process.env.API_KEY' : "";
  const lines = [
    ...(files.length > 0 ? ['import { openAsBlob } from "node:fs";'] : []),
    'import { writeFile } from "node:fs/promises";',
    "",
    "const form = new FormData();",
    ...files.map(({ name, value }) => `form.append(${text(name)}, await openAsBlob(${text(value)}), ${text(value)});`),
    ...texts.map(({ name, value }) => `form.append(${text(name)}, ${text(value)});`),
    "",
    `const response = await fetch(${text(baseUrl + path)}, {`,
    '  method: "POST",',
    `  headers: { Accept: ${text(accept)}${key} },`,
    "  body: form,",
    "});",
    "if (!response.ok) throw new Error((await response.json()).error);",
    `await writeFile(${text(saveAs)}, response.body);`,
  ];
  return lines.join("\n");
}

const text = (value: string): string => JSON.stringify(value);

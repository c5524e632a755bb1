// Writes requests in JavaScript, for Node's fetch.
import type { Call } from "./call.ts";

export function javascript(calls: readonly Call[]): string {
  const imports = [
    ...(calls.some(({ files }) => files.length > 0) ? ['import { openAsBlob } from "node:fs";'] : []),
    'import { writeFile } from "node:fs/promises";',
  ];
  const texts = calls.map(request);
  // Blocks keep the names of several requests apart.
  const blocks = texts.length === 1 ? texts : texts.map((text) => `{\n${text.replaceAll(/^/gm, "  ")}\n}`);
  return [...imports, "", ...blocks].join("\n");
}

function request({ baseUrl, path, keyed, accept, saveAs, files, texts }: Call): string {
  const key = keyed ? ', "Api-Key": process.env.API_KEY' : "";
  return [
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
  ].join("\n");
}

const text = (value: string): string => JSON.stringify(value);

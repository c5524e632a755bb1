// Generates PHP that uses the curl extension.
import type { Entry, OperationCall } from "./call.ts";

export const php = (calls: readonly OperationCall[]): string => ["<?php", ...calls.map(request)].join("\n");

function request({ url, keyed, accept = "*/*", saveAs, files, texts }: OperationCall): string {
  const key = keyed ? ", 'Api-Key: ' . getenv('API_KEY')" : "";
  const lines = [
    `$curl = curl_init(${text(url)});`,
    "curl_setopt_array($curl, [",
    "    CURLOPT_RETURNTRANSFER => true,",
    `    CURLOPT_HTTPHEADER => [${text(`Accept: ${accept}`)}${key}],`,
    "    CURLOPT_POSTFIELDS => [",
    ...numbered(files).map(({ name, value }) => `        ${text(name)} => new CURLFile(${text(value)}),`),
    ...numbered(texts).map((entry) => `        ${text(entry.name)} => ${expressionOf(entry)},`),
    "    ],",
    "]);",
    "$answer = curl_exec($curl);",
    "if (curl_getinfo($curl, CURLINFO_RESPONSE_CODE) !== 200) {",
    "    fwrite(STDERR, $answer ?: curl_error($curl));",
    "    exit(1);",
    "}",
    saveAs === undefined ? "echo $answer;" : `file_put_contents(${text(saveAs)}, $answer);`,
  ];
  return lines.join("\n");
}

/** Numbers repeated names, because the keys of a PHP array are unique: `pages[0]`, `pages[1]`. */
function numbered(entries: readonly Entry[]): Entry[] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const { name } = entry;
    const isRepeated = name.endsWith("[]") || entries.filter((other) => other.name === name).length > 1;
    if (!isRepeated) return entry;
    const index = seen.get(name) ?? 0;
    seen.set(name, index + 1);
    return { ...entry, name: `${name.replace(/\[\]$/, "")}[${index}]` };
  });
}

const expressionOf = ({ value, variable }: Entry): string =>
  variable === undefined ? text(value) : `getenv(${text(variable)})`;

const text = (value: string): string => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

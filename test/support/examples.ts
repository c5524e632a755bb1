// Derives a call of each operation from its declaration: example values, and the result that the call must return. Also
// runs in a browser.

import type { ListedOperation } from "../../src/service/http/contract/operation-list.ts";
import EXAMPLE_RULES from "./example-rules.json" with { type: "json" };

/** The verbs of operations that need a language model, which the services of most tests do not have. */
export const NEEDS_MODEL: readonly string[] = ["summarize", "translate"];

/** Number of pages of the document with which examples are called. */
export const EXAMPLE_PAGES = 3;

/** Text for operations whose input is text. */
export const EXAMPLE_TEXT = "<p>Hello";

/** The name and content of a further file in examples: an image of one pixel. */
export const EXAMPLE_IMAGE = {
  name: "logo.png",
  base64: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};

/** Secret files of examples, by name: the text of a file, or base64 of a binary one. The certificate ends in 2126. */
export const EXAMPLE_SECRETS: Readonly<Record<string, string>> = {
  "passphrase.txt": "sample",
  "signer.p12":
    "MIID7AIBAzCCA6IGCSqGSIb3DQEHAaCCA5MEggOPMIIDizCCAkIGCSqGSIb3DQEHBqCCAjMwggIvAgEAMIICKAYJKoZIhvcNAQcBMFcGCSqGSIb3" +
    "DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjzinN35dsgPQICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEJAf1zILqpc2BZWOknjP0VCAggHA" +
    "RypXL/2UUp3JN6JT0CGU6WYc8Pw/z58kDD7OvNZAY8lLvf2ylb4WlC/wg2U0Hd4aXe3EivnngeD52Hghdlsk79Hq/dhI7cDzlSGKnthnyP9wmmtU" +
    "UaJtoi9kbeF8RCsb03sc8Wni3TPYljeK9ovkyKjxTdZi/UAffECp2gw78svqJnebhKBkWfkLrwA4muVwmPDzUe7x7FQoXYS4Axy6DcF6B9iIWsSY" +
    "ixBh3cJPCb3XjvLIIu3Mgs38blVnSaoqljpE5EE11yGHwnl79KwxMtiKb0MDESaJRXvU2IiJIvYQxOTEVFsOO2QK9Ukagkdb00wThG6PCL2YSNdX" +
    "89upU0o1XjL70KTQnNul8X/KsuzEHFSq5ub3qpPJPt0vuRFUlsf2go5JIxNi6SRqfqy1yqX0Z43/q0spS2reBpK1txbWTMjKlviOgLFqS8qhhixI" +
    "yIFP9MOi6zVn8E5or/eDCjMpL/9xl0HN4eD24H4OPLTtVbRMYEG9AjC7KKhfMlI3u5+kjbmOsmMvBY6vW4s1qsmTZWCV16Agu8aW34BuIkAYbtkd" +
    "/N77rPTB3qMtBJwvkntYB1lhxQ4c34whs5AbEDCCAUEGCSqGSIb3DQEHAaCCATIEggEuMIIBKjCCASYGCyqGSIb3DQEMCgECoIHvMIHsMFcGCSqG" +
    "SIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjYGWF74bnomAICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEBQirMZbcQhs0Gvp50hbz3kE" +
    "gZAoz5yzP97eEQZ3Px6tdp/3hVB9q9ay5SM+sGZcP8wQHYsET/yKLK8/QsUQq1ZWh0VVwQGxANtWGfvaMkwgAHooLKLaEfyT2JuSnmV6wertiaef" +
    "IDeQd6ZLbhrxd7gjFq5h+935pyxvt0kgaj9oHlYMKcZo1ETOrReRnkTbPzb7Zoupr2zpWe09hefpcKZWEFkxJTAjBgkqhkiG9w0BCRUxFgQUjhaV" +
    "hGwAOwtltUjYsiUuQeM640wwQTAxMA0GCWCGSAFlAwQCAQUABCAahkBXiyIsCVT+g6kFpMAB9ZEnzuqwzgE+BqGljtDxtwQInv9OGnvmQt4CAggA",
};

/** First characters of files, by media type. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  "application/octet-stream": "",
  "application/pdf": "%PDF",
  "application/postscript": "%!PS",
  "application/vnd.adobe.xfdf": "<?xml",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "PK\x03\x04",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "PK\x03\x04",
  "application/zip": "PK\x03\x04",
  "image/avif": "\0\0\0",
  "image/bmp": "BM",
  "image/gif": "GIF8",
  "image/jpeg": "\xff\xd8\xff",
  "image/png": "\x89PNG",
  "image/tiff": "II*\0",
  "image/webp": "RIFF",
  "text/html": EXAMPLE_TEXT,
};

/** The sentence at the foot of each page of the document with which examples are called. */
const EXAMPLE_SENTENCE = "The quick brown fox jumps over the lazy dog.";

/** Data in the responses of examples, other than IDs. */
const DATA: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "/validated-pdf": { profile: "PDF/A-2b", claims: [], compliant: false, rules: EXAMPLE_RULES },
  "/validated-zugferd": {
    ...{ valid: true, xml_valid: true, syntax: "CII", profile: "xrechnung", findings: [] },
    guideline: "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0",
  },
  "/compared-pdf": {
    pages: Array.from({ length: EXAMPLE_PAGES }, (_, at) => ({
      ...{ original: at + 1, compared: at + 1, difference: 0, areas: [] },
    })),
    ...{ changes: [], identical: true },
  },
  "/verified-pdf": { signatures: [] },
  "/markdown": { markdown: "1\n\n2\n\n3\n\n" },
  "/extracted-text": { fullText: ["1", "2", "3"].map((page) => `${page}\n${EXAMPLE_SENTENCE}`).join("\n") },
  "/pdf-info": { page_count: EXAMPLE_PAGES, title: "", allQueriesProcessed: true },
};

/** Formats of the documents with which examples are called. */
export const EXAMPLE_FORMATS = ["pdf", "docx", "zip", "xml"] as const;

/** Returns the format of the document with which an operation's example is called. */
export function exampleFormat({ path, example }: ListedOperation): (typeof EXAMPLE_FORMATS)[number] {
  const name = String(example.file ?? "a.pdf");
  const format = EXAMPLE_FORMATS.find((one) => name.endsWith(`.${one}`));
  if (format === undefined) throw new Error(`The example of ${path} takes ${name}, which EXAMPLE_FORMATS lacks.`);
  return format;
}

/** Returns an operation's example values by parameter. Excludes its inputs and their page selections. */
export function exampleValues({ example, parameters }: ListedOperation): Readonly<Record<string, unknown>> {
  const own = parameters.filter(({ perInput }) => !perInput).map(({ name }) => name);
  const values = Object.entries(example).map(
    ([name, value]) => [name.replace("[]", ""), contentOf({ example, parameters }, name) ?? value] as const,
  );
  return Object.fromEntries(values.filter(([name]) => own.includes(name)));
}

/** Returns an operation's example as fields of a form, without its input. */
export function exampleFields(operation: ListedOperation): Readonly<Record<string, string | readonly string[]>> {
  const fields = Object.entries(operation.example).filter(([name]) => name !== "file");
  return Object.fromEntries(
    fields.map(([name, value]) => {
      return [name, contentOf(operation, name) ?? (typeof value === "number" ? String(value) : value)];
    }),
  );
}

/** Returns the content of a secret file; undefined for another parameter. */
function contentOf({ example, parameters }: Pick<ListedOperation, "example" | "parameters">, name: string) {
  const isSecret = parameters.some((parameter) => parameter.name === name && parameter.control === "file");
  return isSecret ? EXAMPLE_SECRETS[String(example[name])] : undefined;
}

/** Returns the value for each further file of the example, by its field: the image, or a PDF. */
export const exampleFiles = <T>({ example, files }: ListedOperation, image: T, pdf: T): Readonly<Record<string, T>> =>
  Object.fromEntries(
    files
      .filter(({ name }) => name in example)
      .map(({ name }) => [name, String(example[name]).endsWith(".pdf") ? pdf : image]),
  );

/** @returns the first bytes of the example's output, one character per byte */
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

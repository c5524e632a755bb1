// Derives a call of each operation from its declaration: example values, and the result that the call must return. Also
// runs in a browser.
import type { ListedOperation } from "../../src/service/http/contract/operation-list.ts";

/** Number of pages of the document with which examples are called. */
export const EXAMPLE_PAGES = 3;

/** Text for operations whose input is text. */
export const EXAMPLE_TEXT = "<p>Hello";

/** The name and content of a further file in examples: an image of one pixel. */
export const EXAMPLE_IMAGE = {
  name: "logo.png",
  base64: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
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
  const values = Object.entries(example).map(([name, value]) => [name.replace("[]", ""), value] as const);
  return Object.fromEntries(values.filter(([name]) => own.includes(name)));
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

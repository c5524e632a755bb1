// Reads the parts of a PDF with qpdf and poppler, for tests.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "../../src/document/contract/operation.ts";
import { parsePages } from "../../src/document/contract/pages.ts";
import { mergePdfs } from "../../src/operations/merge-pdfs.ts";
import { CONTEXT, outputsOf } from "./operations.ts";

/** A value of qpdf's JSON: a string for a name, reference or text; an array; or an object. */
// biome-ignore lint/suspicious/noExplicitAny: tests say themselves what they expect
export type Json = any;

export interface OutlineItem {
  readonly title: string;
  readonly open: boolean;
  readonly destpageposfrom1: number | null;
  readonly kids: readonly OutlineItem[];
}

/** Runs `work` on a PDF file in a temporary folder. */
function withPdf<T>(pdf: Uint8Array, work: (path: string, folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "parts-"));
  try {
    writeFileSync(join(folder, "in.pdf"), pdf);
    return work(join(folder, "in.pdf"), folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns a program's standard output, or standard error if that is empty. */
export function said(pdf: Uint8Array, program: string, ...options: string[]): string {
  return withPdf(pdf, (path) => {
    const { stdout, stderr, error } = spawnSync(program, [...options, path], { encoding: "utf8", maxBuffer: 2 ** 30 });
    if (error) throw error;
    return stdout || stderr;
  });
}

/**
 * Returns the attached files by name, as poppler saves them. If several files have the same name, only the last one.
 */
export function attachedTo(pdf: Uint8Array): Map<string, string> {
  return withPdf(pdf, (path, folder) => {
    spawnSync("pdfdetach", ["-saveall", "-o", folder, path]);
    const names = readdirSync(folder).filter((name) => name !== "in.pdf");
    return new Map(names.map((name) => [name, readFileSync(join(folder, name), "latin1")]));
  });
}

export class PdfJson {
  readonly json: Json;
  readonly #objects: Record<string, Json>;

  constructor(pdf: Uint8Array) {
    this.json = JSON.parse(said(pdf, "qpdf", "--json=2", "--json-stream-data=none", "--decode-level=none"));
    this.#objects = this.json.qpdf[1];
  }

  /** Follows a reference, and returns its object. Returns the dictionary of a stream. */
  get(value: Json): Json {
    if (typeof value !== "string" || !/^\d+ \d+ R$/.test(value)) return value;
    const object = this.#objects[`obj:${value}`];
    return object === undefined ? null : (object.stream?.dict ?? object.value);
  }

  /** Follows keys and indexes from a value, and the references between them. */
  at(start: Json, ...path: (string | number)[]): Json {
    let value = this.get(start);
    for (const key of path) value = this.get(value?.[typeof key === "string" ? `/${key}` : key]);
    return value;
  }

  get catalog(): Json {
    return this.get(this.#objects.trailer.value["/Root"]);
  }

  get pages(): string[] {
    return this.json.pages.map(({ object }: Json) => object);
  }

  /** Returns the number of a page, from 1. Returns undefined if the reference is not a page. */
  pageNumber(reference: Json): number | undefined {
    const index = this.pages.indexOf(reference);
    return index < 0 ? undefined : index + 1;
  }

  annotations(pageNumber: number): Json[] {
    return (this.at(this.pages[pageNumber - 1], "Annots") ?? []).map((value: Json) => this.get(value));
  }

  get outlines(): OutlineItem[] {
    return this.json.outlines;
  }

  /** Every form widget, with its field. */
  get fields(): Json[] {
    return this.json.acroform.fields;
  }

  /** All objects that are dictionaries or streams. */
  get dictionaries(): Json[] {
    const values = Object.values(this.#objects).map((object) => object.stream?.dict ?? object.value);
    return values.filter((value) => value !== null && typeof value === "object" && !Array.isArray(value));
  }

  /** Returns the entries of a name tree or number tree, by key. */
  tree(root: Json): Map<string, Json> {
    const entries = new Map<string, Json>();
    const waiting = [root];
    for (let node = this.get(waiting.pop()); node; node = this.get(waiting.pop())) {
      const leaf = this.get(node["/Names"] ?? node["/Nums"]) ?? [];
      for (let index = 0; index < leaf.length; index += 2) entries.set(String(leaf[index]), leaf[index + 1]);
      waiting.push(...[...(this.get(node["/Kids"]) ?? [])].reverse());
    }
    return entries;
  }
}

/** A whole document, or a document with a page selection such as `1-3`. */
export type Taken = Uint8Array | [Uint8Array, string];

/** Merges documents, with the memory limit of an isolate. */
export const merged = (...inputs: Taken[]): Promise<Uint8Array> => mergedIn(CONTEXT, inputs);

export async function mergedIn(context: Context, inputs: readonly Taken[]): Promise<Uint8Array> {
  const pairs = inputs.map((input): [Uint8Array, string] => (Array.isArray(input) ? input : [input, "1-last"]));
  const [output] = await outputsOf(
    mergePdfs,
    pairs.map(([bytes]) => bytes),
    { pages: pairs.map(([, pages]) => parsePages(pages, true)!) },
    context,
  );
  return output!;
}

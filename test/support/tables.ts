// Adds tables to PDFs in tests, and reads where their words are.
import { execFileSync } from "node:child_process";
import { expect } from "vitest";
import { type AddTablesParams, addTables } from "../../src/operations/add-tables.ts";
import { bytesOf, inputOf } from "./operations.ts";
import { qpdfComplaints, withFile } from "./pdf-readers.ts";
import { TYPESETTING } from "./typefaces.ts";

type Given = { readonly images?: readonly Uint8Array[] } & Partial<AddTablesParams>;

/** Runs the operation on tables as clients send them. */
export async function tabled(pdf: Uint8Array, tables: unknown, { images = [], ...more }: Given = {}) {
  const { kind } = addTables.parameters.tableObjects;
  const tableObjects = kind.value.parse(kind.read(JSON.stringify(tables)));
  const inputs = [inputOf(pdf), ...images.map((image) => inputOf(image, "image"))];
  for await (const output of addTables.run(inputs, { tableObjects, tagEnabled: false, ...more }, TYPESETTING)) {
    const made = await bytesOf(output);
    expect(qpdfComplaints(made)).toBe("");
    return { made, notices: output.notices!() };
  }
  throw new Error("no output");
}

/** Returns rows of cells with texts. */
export const rowsOf = (...rows: readonly (readonly string[])[]) =>
  rows.map((texts) => ({ cells: texts.map((text) => ({ text })) }));

/** A word on a page. Positions are in points from the upper left corner of the page. */
export interface Word {
  readonly page: number;
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Returns the words that pdftotext finds. */
export function wordsOf(pdf: Uint8Array): readonly Word[] {
  const options = { encoding: "utf8", maxBuffer: 2 ** 28 } as const;
  const html = withFile(pdf, (path) => execFileSync("pdftotext", ["-bbox", path, "-"], options));
  const found = html.matchAll(
    /<page|<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">([^<]*)</g,
  );
  let page = 0;
  return [...found].flatMap(([, left, top, right, bottom, text]) => {
    if (text === undefined) page++;
    return text === undefined
      ? []
      : [{ page, text, left: Number(left), top: Number(top), right: Number(right), bottom: Number(bottom) }];
  });
}

/** Returns the words of each page, in the order of the content. */
export function pagesOfWords(pdf: Uint8Array): readonly string[] {
  const pages = Map.groupBy(wordsOf(pdf), ({ page }) => page);
  const last = Math.max(0, ...pages.keys());
  return Array.from({ length: last }, (_, index) => (pages.get(index + 1) ?? []).map(({ text }) => text).join(" "));
}

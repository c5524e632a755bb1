// Converts PDFs to PDF/A for tests, and reads the results with qpdf.
import { repairPdfa } from "../../src/operations/pdfa-steps/repair-pdfa.ts";
import { LEVELS, type LevelName } from "./levels.ts";
import { CONTEXT, outputsOf } from "./operations.ts";
import { type Json, PdfJson } from "./pdf-json.ts";
import { uncompressed } from "./pdf-readers.ts";

/** @param failed rules that an earlier attempt violated, as `clause-test` */
export async function archived(pdf: Uint8Array, level: LevelName, ...failed: string[]): Promise<Uint8Array> {
  const failures = failed.map((rule) => {
    const [clause, test] = rule.split("-") as [string, string];
    return { clause, test: Number(test), places: [{ context: "root" }] };
  });
  const [output] = await outputsOf(repairPdfa, [pdf], { level: LEVELS[level], failures }, CONTEXT);
  return output!;
}

export interface Archived {
  readonly bytes: Uint8Array;
  readonly json: PdfJson;
  /** Text of the PDF with all streams decoded. */
  readonly text: string;
  /** Returns the page's dictionary. Page numbers start at 1. */
  page(pageNumber: number): Json;
}

export async function readArchived(pdf: Uint8Array, level: LevelName, ...failed: string[]): Promise<Archived> {
  const bytes = await archived(pdf, level, ...failed);
  const json = new PdfJson(bytes);
  return {
    bytes,
    json,
    text: uncompressed(bytes),
    page: (pageNumber) => json.get(json.pages[pageNumber - 1]),
  };
}

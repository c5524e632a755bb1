// PDFs made PDF/A in tests, and read back with qpdf.
import { repairPdfa } from "../../src/operations/repair-pdfa.ts";
import type { ArchivalLevel } from "../../src/pdf/archival/level.ts";
import { CONTEXT, outputsOf } from "./operations.ts";
import { type Json, PdfJson } from "./pdf-json.ts";
import { uncompressed } from "./pdf-readers.ts";

export type LevelName = "1b" | "2b" | "2u" | "3b" | "3u";

export const LEVELS: readonly LevelName[] = ["1b", "2b", "2u", "3b", "3u"];

function levelOf(name: LevelName): ArchivalLevel {
  return { part: Number(name[0]) as 1 | 2 | 3, conformance: name[1] as "b" | "u" };
}

/** @param failed rules that the attempt before broke, as `clause-test` */
export async function archived(pdf: Uint8Array, level: LevelName, ...failed: string[]): Promise<Uint8Array> {
  const failures = failed.map((rule) => {
    const [clause, test] = rule.split("-") as [string, string];
    return { clause, test: Number(test), places: [{ context: "root" }] };
  });
  const [output] = await outputsOf(repairPdfa, [pdf], { level: levelOf(level), failures }, CONTEXT);
  return output!;
}

export interface Archived {
  readonly bytes: Uint8Array;
  readonly json: PdfJson;
  /** With all streams decoded. */
  readonly text: string;
  /** The page's dictionary, pages counted from 1. */
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

// Lists the glyphs of a subset in CIDSet and CharSet (ISO 32000-1, tables 122 and 124). PDF/A-1 requires correct lists
// for all subsets (ISO 19005-1, 6.3.5). Later parts only require that existing lists are correct, so the lists are
// removed.

import { TAGGED } from "../../fonts/names/subset-tag.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { type Dictionary, PdfString } from "../../objects/values.ts";
import type { PdfaLevel } from "../level.ts";
import { cffGlyphs, glyphMapOf } from "./composite/composite-font.ts";
import { type FontProgram, namedProgram, plainStream, programBytes, readProgram } from "./font-program.ts";
import { charSetOf } from "./simple/simple-named.ts";

/** @param descriptor owned by the caller */
export function listGlyphNames(file: PdfFile, descriptor: Dictionary, baseFont: string, { part }: PdfaLevel): void {
  descriptor.delete("CharSet");
  if (part !== 1 || !TAGGED.test(baseFont)) return;
  const bytes = programBytes(file, descriptor);
  const program = bytes && readProgram(bytes);
  const named = program && namedProgram(program);
  if (named) descriptor.set("CharSet", new PdfString(charSetOf(named.names)));
}

/**
 * @param inner the CIDFont
 * @param descriptor owned by the caller
 */
export function listCids(
  file: PdfFile,
  inner: Dictionary,
  descriptor: Dictionary,
  baseFont: string,
  { part }: PdfaLevel,
): void {
  descriptor.delete("CIDSet");
  if (part !== 1 || !TAGGED.test(baseFont)) return;
  const bytes = programBytes(file, descriptor);
  const program = bytes && readProgram(bytes);
  const cids = program && cidsOf(file, inner, program);
  if (!cids) return;
  const set = new Uint8Array((cids.reduce((most, cid) => Math.max(most, cid), 0) >> 3) + 1);
  for (const cid of cids) set[cid >> 3]! |= 0x80 >> (cid & 7);
  descriptor.set("CIDSet", file.add(plainStream(file, set)));
}

function cidsOf(file: PdfFile, inner: Dictionary, program: FontProgram): number[] | undefined {
  if (program.kind === "cff") return [...cffGlyphs(program.font).keys()];
  if (program.kind !== "truetype") return undefined;
  const { glyphCount } = program.font;
  const glyphOf = glyphMapOf(file, inner);
  if (!glyphOf) return Array.from({ length: glyphCount }, (_, cid) => cid);
  const all = Array.from({ length: 65_536 }, (_, cid) => cid);
  return all.filter((cid) => cid === 0 || (glyphOf(cid) > 0 && glyphOf(cid) < glyphCount));
}

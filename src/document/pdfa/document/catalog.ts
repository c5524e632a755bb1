// Removes forbidden entries of the catalog and of pages, and repairs page boundaries (ISO 19005-1, 6.1 and 6.6; -2,
// 6.1.13, 6.10 and 6.11).
import { Dictionary, type Value } from "../../objects/values.ts";
import { type PdfaDocument, rectangleOf } from "../pdfa-document.ts";

const CATALOG = ["Requirements", "NeedsRendering", "Perms", "Version", "DSS", "AA"];
/** Entries of PDF versions later than PDF 1.4, the version of part 1. */
const LATER = ["Collection", "Extensions", "Legal"];
const NAMES = ["JavaScript", "AlternatePresentations", "Renditions"];
const PAGE = ["AA", "PresSteps", "OutputIntents"];
const BOXES = ["CropBox", "BleedBox", "TrimBox", "ArtBox"];
/** Limits of a page's sides (ISO 32000-1, annex C.2). */
export const MIN_SIDE = 3;
export const MAX_SIDE = 14_400;
const LETTER: Value = [0, 0, 612, 792];

export function repairCatalog(document: PdfaDocument): void {
  const { file } = document;
  const { catalog } = file;
  for (const key of CATALOG) catalog.delete(key);
  if (document.level.part === 1) for (const key of LATER) catalog.delete(key);
  const names = file.dictionary(catalog.get("Names"));
  if (names) for (const key of NAMES) names.delete(key);
  repairForm(document);
  for (const reference of document.pages) repairPage(document, document.page(reference));
}

function repairForm({ file }: PdfaDocument): void {
  const form = file.dictionary(file.catalog.get("AcroForm"));
  if (!form) return;
  for (const key of ["XFA", "SigFlags"]) form.delete(key);
}

function repairPage(document: PdfaDocument, page: Dictionary): void {
  const { file } = document;
  for (const key of PAGE) page.delete(key);
  if (!file.dictionary(page.get("Resources"))) page.set("Resources", new Dictionary());
  const media = rectangleOf(file, page.get("MediaBox"));
  // A box without an area counts as missing.
  if (!media || media[0] === media[2] || media[1] === media[3]) page.set("MediaBox", LETTER);
  else if (!isBoundary(media)) {
    const [left, bottom, right, top] = media;
    page.set("MediaBox", [left, bottom, left + side(right - left), bottom + side(top - bottom)]);
    // The box is written without references, because validators do not resolve them there.
  } else page.set("MediaBox", [...media]);
  for (const key of BOXES) {
    const box = rectangleOf(file, page.get(key));
    if (page.has(key) && box && isBoundary(box)) page.set(key, [...box]);
    else page.delete(key);
  }
}

const side = (length: number) => Math.max(MIN_SIDE, Math.min(MAX_SIDE, length));

const isBoundary = ([left, bottom, right, top]: readonly [number, number, number, number]) =>
  side(right - left) === right - left && side(top - bottom) === top - bottom;

// Changes the user unit of pages whose sides have too many or too few units (ISO 19005-2, 6.1.13; ISO 32000-1, 14.11.2
// and 7.7.3.3), and converts all coordinates on these pages. Plans and banners longer than 200 inches need a larger
// unit.
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, PdfStream, PdfString, Reference, type Value } from "../../objects/values.ts";
import { newStream, type PdfaDocument, rectangleOf } from "../pdfa-document.ts";
import { MAX_SIDE, MIN_SIDE } from "./catalog.ts";

const BOXES = ["MediaBox", "CropBox", "BleedBox", "TrimBox", "ArtBox"];
/** Annotation entries that are lists of coordinates, or lists of such lists (ISO 32000-1, 12.5.6). */
const COORDINATES = ["Rect", "QuadPoints", "L", "CL", "Vertices", "InkList", "RD", "Border"];
/** Indexes of coordinates in destination arrays (ISO 32000-1, table 151). */
const PLACES: Readonly<Record<string, readonly number[]>> = {
  XYZ: [2, 3],
  FitH: [2],
  FitV: [2],
  FitR: [2, 3, 4, 5],
  FitBH: [2],
  FitBV: [2],
};
const MAX_ELEMENTS = 6;
const MAX_LEVELS = 64;
const FONT_SIZE = /(?<![\d.])(?:\d+(?:\.\d*)?|\.\d+)(?=\s+Tf\b)/g;
/** Maximum user unit. A page that would need a larger one stays unchanged. */
const MAX_UNIT = 1000;
const MIN_UNIT = 0.001;
/** Factor above the minimum side, so that a rounded side is still long enough. */
const EXCESS = 1.00001;

/** @returns true if pages were scaled; the survey does not contain the new objects */
export function scalePages(document: PdfaDocument): boolean {
  const { units } = document;
  for (const reference of document.pages) {
    const page = document.page(reference);
    const unit = unitFor(document.file, page);
    if (unit !== 1) units.set(reference.number, unit);
  }
  if (units.size === 0) return false;
  const scaled = new Set<Dictionary>();
  for (const reference of document.pages) {
    const unit = units.get(reference.number);
    if (unit !== undefined) scalePage(document, document.page(reference), unit, scaled);
  }
  scaleDestinations(document, units);
  return true;
}

/**
 * Returns the number of old units per new unit: an integer for a large page, so that coordinates stay exact; a fraction
 * for a tiny page; 1 for other pages.
 */
function unitFor(file: PdfFile, page: Dictionary): number {
  const media = rectangleOf(file, page.get("MediaBox"));
  if (!media) return 1;
  const crop = rectangleOf(file, page.get("CropBox")) ?? media;
  const sides = [media, crop].flatMap(([left, bottom, right, top]) => [right - left, top - bottom]);
  const [longest, shortest] = [Math.max(...sides), Math.min(...sides)];
  const unit = Math.ceil(longest / MAX_SIDE);
  if (unit > 1 || shortest >= MIN_SIDE) return unit <= MAX_UNIT ? unit : 1;
  const small = shortest / (MIN_SIDE * EXCESS);
  return small >= MIN_UNIT && longest / small <= MAX_SIDE ? small : 1;
}

function scalePage(document: PdfaDocument, page: Dictionary, unit: number, scaled: Set<Dictionary>): void {
  const { file, level } = document;
  for (const key of BOXES) scaleEntry(file, page, key, unit);
  // Part 1 has no UserUnit, so large pages become smaller, and tiny pages larger.
  if (level.part > 1) page.set("UserUnit", unit * Math.max(1, file.number(page.get("UserUnit")) ?? 1));
  const contents = page.get("Contents");
  const factor = (1 / unit).toFixed(9);
  const own = file.array(contents) ?? (contents === undefined ? [] : [contents]);
  page.set("Contents", [file.add(newStream(`${factor} 0 0 ${factor} 0 0 cm\n`, {})), ...own]);
  scalePatterns(file, page, unit);
  for (const value of file.array(page.get("Annots")) ?? []) {
    const annotation = file.dictionary(value);
    if (!annotation || scaled.has(annotation)) continue;
    scaled.add(annotation);
    for (const key of COORDINATES) scaleEntry(file, annotation, key, unit);
    scaleBorder(file, annotation, unit);
    scaleFontSize(file, annotation, unit);
  }
  // Article beads; each is on one page (12.4.3).
  for (const value of file.array(page.get("B")) ?? []) {
    const bead = file.dictionary(value);
    if (bead && !scaled.has(bead)) scaleEntry(file, bead, "R", unit);
    if (bead) scaled.add(bead);
  }
  for (const value of file.array(page.get("VP")) ?? []) {
    const viewport = file.dictionary(value);
    if (viewport) scaleEntry(file, viewport, "BBox", unit);
  }
}

function scaleBorder(file: PdfFile, annotation: Dictionary, unit: number): void {
  const style = file.dictionary(annotation.get("BS"));
  if (style) annotation.set("BS", style.clone().set("W", (file.number(style.get("W")) ?? 1) / unit));
  // The default border is one unit wide (ISO 32000-1, table 164).
  else if (!annotation.has("Border")) annotation.set("Border", [0, 0, 1 / unit]);
}

/**
 * Scales the font size with which a viewer recreates the appearance. The annotation has it, or inherits it from its
 * field or from the form (ISO 32000-1, 12.7.3.3).
 */
function scaleFontSize(file: PdfFile, annotation: Dictionary, unit: number): void {
  let holder: Dictionary | undefined = annotation;
  for (let level = 0; holder && !holder.has("DA") && level < MAX_LEVELS; level++) {
    holder = file.dictionary(holder.get("Parent"));
  }
  const isField = file.name(annotation.get("Subtype")) === "Widget";
  const defaultAppearance = (
    holder?.has("DA") ? holder : isField ? file.dictionary(file.catalog.get("AcroForm")) : undefined
  )?.get("DA");
  const scaled = file
    .string(defaultAppearance)
    ?.latin1.replace(FONT_SIZE, (size) => `${Number((Number(size) / unit).toFixed(4))}`);
  if (scaled !== undefined) annotation.set("DA", PdfString.ofLatin1(scaled));
}

/**
 * Scales the patterns of a page, because they are relative to the initial space of the page (ISO 32000-1, 8.7.2). Only
 * copies are scaled, because other pages can use the same patterns.
 */
function scalePatterns(file: PdfFile, page: Dictionary, unit: number): void {
  const resources = file.dictionary(page.get("Resources"));
  const patterns = file.dictionary(resources?.get("Pattern"));
  if (!resources || !patterns) return;
  const scaled = new Dictionary();
  for (const [name, value] of patterns) {
    const object = file.resolve(value);
    const before = object instanceof PdfStream ? object.dictionary : object;
    if (!(before instanceof Dictionary)) continue;
    const given = (file.array(before.get("Matrix")) ?? []).map((element) => file.number(element) ?? 0);
    const matrix = given.length === 6 ? given : [1, 0, 0, 1, 0, 0];
    const after = before.clone().set(
      "Matrix",
      matrix.map((element) => element / unit),
    );
    scaled.set(name, file.add(object instanceof PdfStream ? new PdfStream(after, object.body) : after));
  }
  page.set("Resources", resources.clone().set("Pattern", scaled));
}

/** Scales all destinations on scaled pages: in bookmarks, actions, links and name trees. */
function scaleDestinations({ file, places, values }: PdfaDocument, units: ReadonlyMap<number, number>): void {
  const seen = new Set<readonly Value[]>();
  const visit = (value: Value) => {
    const array = file.array(value) as Value[] | undefined;
    if (!array || seen.has(array)) return;
    seen.add(array);
    const [page, kind] = array;
    const unit = page instanceof Reference && array.length <= MAX_ELEMENTS ? units.get(page.number) : undefined;
    const indexes = unit === undefined ? undefined : PLACES[file.name(kind) ?? ""];
    for (const index of indexes ?? []) {
      const number = file.number(array[index]);
      if (number !== undefined) array[index] = number / unit!;
    }
    // The arrays in leaves of name trees contain destinations.
    for (const element of array) if (Array.isArray(element)) visit(element);
  };
  for (const { dictionary } of places) for (const value of dictionary.values()) visit(value);
  for (const reference of values) visit(reference);
}

function scaleEntry(file: PdfFile, dictionary: Dictionary, key: string, unit: number): void {
  const array = file.array(dictionary.get(key));
  if (!array) return;
  const scaled = (values: readonly Value[]): Value[] =>
    values.map((value) => {
      const number = file.number(value);
      if (number !== undefined) return number / unit;
      const inner = file.array(value);
      return inner ? inner.map((element) => (file.number(element) ?? 0) / unit) : value;
    });
  dictionary.set(key, scaled(array));
}

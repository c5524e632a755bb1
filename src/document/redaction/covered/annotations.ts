// Removes the annotations and form fields under marks: their values and appearances would stay on top of the boxes.
import { StructureLinks } from "../../annotations/structure-links.ts";
import { readBox } from "../../content/boxes.ts";
import type { Box } from "../../content/matrix.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { type Dictionary, Reference, type Value } from "../../objects/values.ts";
import type { SourcePage } from "../../pages/pages.ts";
import { removeFields } from "../../pages/parts/forms/remove-fields.ts";
import { type Mark, quadsOfAnnotation } from "../marks.ts";
import type { Quad } from "../quads.ts";

/** Minimum overlap in points: annotations beside a mark can touch it. Half the extent of a smaller annotation counts. */
const OVERLAP = 0.5;
/** Annotations with one area per line in a larger rectangle (ISO 32000-1, tables 173 and 179). */
const BY_LINES = /^(?:Highlight|Underline|StrikeOut|Squiggly|Link)$/;
/** Popups show the text of their parents; other steps remove marks and attached files. */
const ELSEWHERE = /^(?:Popup|Redact|FileAttachment)$/;
const MAX_PARENTS = 64;

/**
 * @param marks by page index
 * @returns the number of removed annotations
 */
export function removeMarkedAnnotations(
  file: PdfFile,
  pages: readonly SourcePage[],
  marks: ReadonlyMap<number, readonly Mark[]>,
): number {
  const structure = new StructureLinks(file);
  const removed = new Map<number, Reference>();
  let count = 0;
  for (const [index, found] of marks) {
    const { reference } = pages[index]!;
    const page = file.dictionary(reference)!;
    const quads = found.flat();
    const annotations = file.array(page.get("Annots")) ?? [];
    const lost = new Set(annotations.filter((one) => isCovered(file, file.dictionary(one), quads)));
    if (lost.size === 0) continue;
    count += lost.size;
    for (const one of lost) {
      structure.remove(one);
      for (const part of [one, file.dictionary(one)?.get("Popup")])
        if (part instanceof Reference) removed.set(part.number, part);
    }
    const stays = (one: Value) => !lost.has(one) && !(one instanceof Reference && removed.has(one.number));
    file.put(reference, page.clone().set("Annots", annotations.filter(stays)));
  }
  structure.finish();
  for (const widget of [...removed.values()]) addEmptyParents(file, widget, removed);
  removeFields(file, new Set(removed.keys()));
  // Other objects can refer to them, such as replies.
  for (const reference of removed.values()) file.put(reference, null);
  return count;
}

/** Adds the fields that lose all of their kids. */
function addEmptyParents(file: PdfFile, widget: Reference, removed: Map<number, Reference>): void {
  let parent = file.dictionary(widget)?.get("Parent");
  for (let level = 0; parent instanceof Reference && level < MAX_PARENTS; level++) {
    const field = file.dictionary(parent);
    const kids = file.array(field?.get("Kids"));
    if (!kids?.every((kid) => kid instanceof Reference && removed.has(kid.number))) return;
    removed.set(parent.number, parent);
    parent = field?.get("Parent");
  }
}

function isCovered(file: PdfFile, annotation: Dictionary | undefined, marks: readonly Quad[]): boolean {
  const type = file.name(annotation?.get("Subtype")) ?? "";
  const box = annotation && readBox(file, annotation.get("Rect"));
  if (!box || ELSEWHERE.test(type)) return false;
  const areas = BY_LINES.test(type) ? quadsOfAnnotation(file, annotation) : [quadOf(box)];
  return areas.some((area) => marks.some((mark) => overlap(area, mark)));
}

const quadOf = ([left, bottom, right, top]: Box): Quad => [left, top, right, top, left, bottom, right, bottom];

/** Reports whether no line separates two convex quadrilaterals. */
function overlap(area: Quad, mark: Quad): boolean {
  return [area, mark].every(([ulx, uly, urx, ury, llx, lly]) =>
    [
      [urx - ulx, ury - uly],
      [llx - ulx, lly - uly],
    ].every(([alongX, alongY]) => {
      const length = Math.hypot(alongX!, alongY!);
      if (length === 0) return true;
      const [own, other] = [area, mark].map((quad) => extent(quad, -alongY! / length, alongX! / length));
      const depth = Math.min(own![1], other![1]) - Math.max(own![0], other![0]);
      return depth >= Math.min(OVERLAP, (own![1] - own![0]) / 2);
    }),
  );
}

function extent(quad: Quad, x: number, y: number): [from: number, to: number] {
  const places = [0, 2, 4, 6].map((at) => quad[at]! * x + quad[at + 1]! * y);
  return [Math.min(...places), Math.max(...places)];
}

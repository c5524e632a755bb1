// Corrects page dictionary entries that MuPDF interprets differently from the standard. Runs before MuPDF loads the
// page, and changes only the document in memory.
import { ANNOTATION_FLAGS, effectiveFlags } from "../../visibility/annotation-flags.ts";
import type { ShownAnnotations } from "./instance/mupdf.ts";
import type { MupdfExports, Pointer } from "./instance/raw.ts";
import type { PdfObjects } from "./objects.ts";

/** Maximum number of annotations examined per page. */
const MAX_ANNOTATIONS = 50_000;
/** Corrects a page. Must be called inside the engine's `run`. */
export function correctPage(raw: MupdfExports, objects: PdfObjects, page: Pointer, shown: ShownAnnotations): void {
  if (!objects.isDictionary(page)) return;
  correctUserUnit(objects, page);
  correctCropBox(objects, page);
  for (const annotation of objects.elements(objects.get(page, "Annots"), MAX_ANNOTATIONS)) {
    correctFlags(raw, objects, annotation, shown);
  }
}

/** Removes a UserUnit that is not a positive number (ISO 32000-1, table 30). */
function correctUserUnit(objects: PdfObjects, page: Pointer): void {
  const unit = objects.get(page, "UserUnit");
  if (unit !== 0 && !((objects.real(unit) ?? 0) > 0)) objects.delete(page, "UserUnit");
}

/**
 * Corrects a CropBox that does not intersect the MediaBox (ISO 32000-1, 14.11.2). MuPDF would replace it by a default
 * size.
 */
function correctCropBox(objects: PdfObjects, page: Pointer): void {
  const crop = objects.inherited(page, "CropBox");
  if (crop === 0) return;
  const mediaBox = objects.inherited(page, "MediaBox");
  const media = rectangle(objects, mediaBox);
  if (!media || isEmpty(media)) return;
  const box = rectangle(objects, crop);
  if (!box || isEmpty(intersection(box, media))) objects.put(page, "CropBox", mediaBox);
}

/** Left, bottom, right, top. */
type Rectangle = readonly [number, number, number, number];

function rectangle(objects: PdfObjects, array: Pointer): Rectangle | undefined {
  const [x0, y0, x1, y1] = objects.elements(array, 4).map((element) => objects.real(element));
  if (x0 === undefined || y0 === undefined || x1 === undefined || y1 === undefined) return undefined;
  return [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)];
}

function intersection(one: Rectangle, other: Rectangle): Rectangle {
  return [
    Math.max(one[0], other[0]),
    Math.max(one[1], other[1]),
    Math.min(one[2], other[2]),
    Math.min(one[3], other[3]),
  ];
}

function isEmpty([left, bottom, right, top]: Rectangle): boolean {
  return !(left < right && bottom < top);
}

/**
 * Clears the flag Invisible of annotations of known types, because MuPDF hides every annotation that has the flag. Sets
 * the flag Hidden of all annotations if none are shown.
 */
function correctFlags(raw: MupdfExports, objects: PdfObjects, annotation: Pointer, shown: ShownAnnotations): void {
  const given = objects.real(objects.get(annotation, "F")) ?? 0;
  let flags = effectiveFlags(objects.name(objects.get(annotation, "Subtype")), given);
  if (shown === "none") flags |= ANNOTATION_FLAGS.hidden;
  if (flags !== given) objects.putNew(annotation, "F", raw._wasm_pdf_new_int(flags));
}

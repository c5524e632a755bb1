// Makes MuPDF create the appearances of annotations and widgets from their dictionaries.

import type { MupdfDocument } from "./document.ts";
import { type FuelBudget, MupdfError } from "./instance/mupdf.ts";
import type { MupdfExports, Pointer } from "./instance/raw.ts";
import type { PdfObjects } from "./objects.ts";

/** Fuel to draw one annotation, many times the usual need. */
const FUEL_PER_APPEARANCE = 10_000_000;

/** Maximum number of kids of the root of the page tree before it is divided, and of each part. */
const MAX_KIDS = 200;

/** Creates appearances. @param numbers object numbers of the annotations, by page index */
export function makeAppearances(document: MupdfDocument, numbers: ReadonlyMap<number, ReadonlySet<number>>): void {
  const { engine } = document;
  const { objects } = document;
  engine.run((raw) => {
    divideKids(document, raw);
    raw._wasm_pdf_set_page_tree_cache(document.pointer, 0);
  });
  for (const [index, wanted] of numbers) {
    let page: Pointer = 0;
    try {
      page = document.loadPage(index);
      const own = engine.run((raw) => annotationsOf(raw, page));
      const found = own.filter((annotation) =>
        engine.run((raw) => wanted.has(raw._wasm_pdf_to_num(raw._wasm_pdf_annot_obj(annotation)))),
      );
      // The fuel grows with the number of annotations: the first update draws all changed annotations, and each change
      // visits all annotations of the page.
      const tank = engine.tank(found.length * FUEL_PER_APPEARANCE);
      for (const annotation of found) attempt(document, (raw) => touch(objects, document, raw, annotation));
      for (const annotation of found) attempt(document, (raw) => raw._wasm_pdf_update_annot(annotation), tank);
    } catch (error) {
      if (!(error instanceof MupdfError)) throw error;
      engine.complain();
    } finally {
      if (page !== 0) engine.release((raw) => raw._wasm_drop_page(page));
    }
  }
}

/**
 * Divides the kids of a large root of the page tree among new nodes. After each change of a document, MuPDF makes its list
 * of pages again, or without that list searches the tree, in which the root can have a kid for every page.
 */
function divideKids({ pointer, objects }: MupdfDocument, raw: MupdfExports): void {
  const root = objects.get(objects.get(raw._wasm_pdf_trailer(pointer), "Root"), "Pages");
  const kids = objects.elements(objects.get(root, "Kids"));
  if (kids.length <= MAX_KIDS) return;
  const nodes = raw._wasm_pdf_new_array(pointer, Math.ceil(kids.length / MAX_KIDS));
  for (let at = 0; at < kids.length; at += MAX_KIDS) {
    const part = kids.slice(at, at + MAX_KIDS);
    const own = raw._wasm_pdf_new_array(pointer, part.length);
    for (const kid of part) raw._wasm_pdf_array_push(own, kid);
    // A page has no Count.
    const count = part.reduce((sum, kid) => sum + (objects.real(objects.get(kid, "Count")) ?? 1), 0);
    const node = objects.newDictionary(pointer, {
      Type: objects.newName("Pages"),
      Parent: raw._wasm_pdf_keep_obj(root),
      Count: raw._wasm_pdf_new_int(count),
      Kids: own,
    });
    const number = raw._wasm_pdf_create_object(pointer);
    raw._wasm_pdf_update_object(pointer, number, node);
    raw._wasm_pdf_drop_obj(node);
    const reference = raw._wasm_pdf_new_indirect(pointer, number);
    raw._wasm_pdf_array_push(nodes, reference);
    raw._wasm_pdf_drop_obj(reference);
  }
  objects.putNew(root, "Kids", nodes);
}

function attempt({ engine }: MupdfDocument, work: (raw: MupdfExports) => void, tank?: FuelBudget): void {
  try {
    engine.run(work, tank);
  } catch (error) {
    if (!(error instanceof MupdfError)) throw error;
    engine.complain();
  }
}

/**
 * Marks an annotation as changed, because MuPDF creates appearances only for changed annotations. Removes a dash array
 * that does not apply (ISO 32000-1, table 166), because MuPDF would apply it.
 */
function touch(objects: PdfObjects, { engine }: MupdfDocument, raw: MupdfExports, annotation: Pointer): void {
  const border = objects.get(raw._wasm_pdf_annot_obj(annotation), "BS");
  if (objects.isDictionary(border) && objects.name(objects.get(border, "S")) !== "D") objects.delete(border, "D");
  const text = raw.UTF8ToString(raw._wasm_pdf_annot_contents(annotation));
  engine.withText(text, (copy) => raw._wasm_pdf_set_annot_contents(annotation, copy));
}

function annotationsOf(raw: MupdfExports, page: Pointer): Pointer[] {
  const own = raw._wasm_pdf_page_from_fz_page(page);
  const found: Pointer[] = [];
  for (let next = raw._wasm_pdf_first_annot(own); next !== 0; next = raw._wasm_pdf_next_annot(next)) found.push(next);
  for (let next = raw._wasm_pdf_first_widget(own); next !== 0; next = raw._wasm_pdf_next_widget(next)) found.push(next);
  return found;
}

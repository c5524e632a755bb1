// Appearances that MuPDF makes for annotations and widgets, of what their dictionaries say. Knows no rule of who needs one.
import { MupdfError } from "./mupdf.ts";
import type { MupdfDocument } from "./mupdf-document.ts";
import type { MupdfExports, Pointer } from "./mupdf-raw.ts";

/** @param numbers of the annotations' objects, by the index of their page */
export function makeAppearances(document: MupdfDocument, numbers: ReadonlyMap<number, ReadonlySet<number>>): void {
  const { engine } = document;
  for (const [index, wanted] of numbers) {
    let page: Pointer = 0;
    try {
      page = document.loadPage(index);
      for (const annotation of engine.run((raw) => annotationsOf(raw, page))) {
        if (engine.run((raw) => wanted.has(raw._wasm_pdf_to_num(raw._wasm_pdf_annot_obj(annotation)))))
          makeAppearance(document, annotation);
      }
    } catch (error) {
      if (!(error instanceof MupdfError)) throw error;
      engine.complain(error.message);
    } finally {
      if (page !== 0) engine.release((raw) => raw._wasm_drop_page(page));
    }
  }
}

function makeAppearance({ engine }: MupdfDocument, annotation: Pointer): void {
  try {
    engine.run((raw) => {
      // What was not changed is not drawn.
      const text = raw.UTF8ToString(raw._wasm_pdf_annot_contents(annotation));
      engine.withText(text, (copy) => raw._wasm_pdf_set_annot_contents(annotation, copy));
      raw._wasm_pdf_update_annot(annotation);
    });
  } catch (error) {
    if (!(error instanceof MupdfError)) throw error;
    engine.complain(error.message);
  }
}

function annotationsOf(raw: MupdfExports, page: Pointer): Pointer[] {
  const own = raw._wasm_pdf_page_from_fz_page(page);
  const found: Pointer[] = [];
  for (let next = raw._wasm_pdf_first_annot(own); next !== 0; next = raw._wasm_pdf_next_annot(next)) found.push(next);
  for (let next = raw._wasm_pdf_first_widget(own); next !== 0; next = raw._wasm_pdf_next_widget(next)) found.push(next);
  return found;
}

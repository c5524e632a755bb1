// Creates missing or outdated appearances of form fields before their page is drawn.

import type { Pointer } from "../engines/mupdf/instance/raw.ts";
import type { PdfObjects } from "../engines/mupdf/objects.ts";
import { type FieldAppearance, FieldAppearances, RENEWED } from "../forms/field-appearance.ts";
import { Dictionary, Name, Reference } from "../objects/values.ts";
import { isHiddenOnScreen } from "../visibility/annotation-flags.ts";
import type { DrawnFile } from "./drawn-file.ts";

/** Maximum number of fields per page that receive an appearance here. MuPDF draws further fields in its own way. */
const MAX_FIELDS = 10_000;
const MAX_ANNOTATIONS = 50_000;
interface Field {
  readonly annotation: Pointer;
  /** Index in the page's annotations. */
  readonly index: number;
}

/** The form fields of a document that is open in one engine. */
export class DrawnFields {
  readonly #drawn: DrawnFile;
  readonly #objects: PdfObjects;
  /** True if NeedAppearances requests new appearances. Undefined until a page has a visible widget. */
  #areAllNeeded: boolean | undefined;
  #appearances: FieldAppearances | undefined;

  constructor(drawn: DrawnFile) {
    this.#drawn = drawn;
    this.#objects = drawn.objects;
  }

  dress(page: Pointer): void {
    const { engine, options } = this.#drawn.document;
    if (options.annotations === "none") return;
    const fields = engine.run(() => this.#bareFields(page));
    if (fields.length === 0) return;
    const { file, add } = this.#drawn;
    this.#appearances ??= new FieldAppearances(file, add);
    this.#appearances.beginPage();
    const number = engine.run(() => this.#objects.number(page));
    const annotations = file.array(file.dictionary(new Reference(number))?.get("Annots")) ?? [];
    for (const { annotation, index } of fields) {
      const dictionary = file.dictionary(annotations[index]);
      if (dictionary) this.#dressOne(annotation, this.#appearances.make(dictionary));
    }
  }

  #bareFields(page: Pointer): Field[] {
    const objects = this.#objects;
    return objects
      .elements(objects.get(page, "Annots"), MAX_ANNOTATIONS)
      .map((annotation, index) => ({ annotation, index }))
      .filter(({ annotation }) => this.#isBare(annotation))
      .slice(0, MAX_FIELDS);
  }

  #isBare(annotation: Pointer): boolean {
    const objects = this.#objects;
    if (objects.name(objects.get(annotation, "Subtype")) !== "Widget") return false;
    if (isHiddenOnScreen("Widget", objects.real(objects.get(annotation, "F")) ?? 0)) return false;
    const type = objects.name(objects.inherited(annotation, "FT"));
    // For a signature without an appearance, MuPDF would draw a placeholder, but not for a text field.
    if (type === "Sig") objects.putNew(annotation, "FT", objects.newName("Tx"));
    this.#areAllNeeded ??= this.#takeRequest();
    if (!objects.isDictionary(objects.get(objects.get(annotation, "AP"), "N"))) return true;
    return this.#areAllNeeded && RENEWED.has(type);
  }

  /** Returns the value of NeedAppearances, and removes the entry, because MuPDF would replace the new appearances. */
  #takeRequest(): boolean {
    const { engine, pointer } = this.#drawn.document;
    const { raw } = engine;
    const root = this.#objects.get(raw._wasm_pdf_trailer(pointer), "Root");
    const form = this.#objects.get(root, "AcroForm");
    const isAsked = raw._wasm_pdf_to_bool(this.#objects.get(form, "NeedAppearances")) !== 0;
    if (isAsked) this.#objects.delete(form, "NeedAppearances");
    return isAsked;
  }

  #dressOne(annotation: Pointer, made: FieldAppearance | undefined): void {
    const { document, values } = this.#drawn;
    if (!made) return;
    document.engine.run(() => {
      this.#objects.putNew(annotation, "AP", values.make(Dictionary.of({ N: made.normal })));
      if (made.state !== undefined) this.#objects.putNew(annotation, "AS", values.make(Name.of(made.state)));
    });
  }
}

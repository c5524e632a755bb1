// Dresses form fields that have no appearance, or an outdated one, before their page is drawn.
import { EngineFailure } from "../../core/failure.ts";
import type { MupdfDocument } from "../../engines/mupdf/document.ts";
import { MupdfError } from "../../engines/mupdf/mupdf.ts";
import { PdfObjects } from "../../engines/mupdf/objects.ts";
import type { Pointer } from "../../engines/mupdf/raw.ts";
import { isHiddenOnScreen } from "../../visibility/annotation-flags.ts";
import { FieldAppearances, RENEWED } from "../forms/field-appearance.ts";
import { Budget } from "../objects/budget.ts";
import { EngineValues } from "../objects/engine-values.ts";
import { MupdfSource } from "../objects/mupdf-source.ts";
import { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, type PdfObject, PdfStream, Reference } from "../objects/values.ts";

/** Limits the fields of a page that are dressed. The rest is left to the engine. */
const MAX_FIELDS = 10_000;
const MAX_ANNOTATIONS = 50_000;
/** Part of the engine's memory for the objects that fields are read from. */
const OBJECTS_PART = 1 / 8;

interface Field {
  readonly annotation: Pointer;
  /** Index among the annotations of the page. */
  readonly index: number;
}

/** The fields of a document that is open in one engine. */
export class DrawnFields {
  readonly #document: MupdfDocument;
  readonly #objects: PdfObjects;
  /** Read with the first page that has a widget: true if the form asks for new appearances. */
  #areAllNeeded: boolean | undefined;
  #reading: { readonly file: PdfFile; readonly appearances: FieldAppearances; readonly values: EngineValues } | undefined;

  constructor(document: MupdfDocument) {
    this.#document = document;
    this.#objects = new PdfObjects(document.engine);
  }

  /** Gives the fields of a page an appearance. */
  dress(page: Pointer): void {
    const { engine } = this.#document;
    if (this.#document.options.annotations === "none") return;
    try {
      const fields = engine.run(() => this.#bareFields(page));
      if (fields.length === 0) return;
      const number = engine.run(() => this.#objects.number(page));
      const { file } = this.#read();
      const annotations = file.array(file.dictionary(new Reference(number))?.get("Annots")) ?? [];
      for (const { annotation, index } of fields) {
        const dictionary = file.dictionary(annotations[index]);
        if (dictionary) this.#dressOne(annotation, dictionary);
      }
    } catch (error) {
      const isLeft = error instanceof MupdfError || (error instanceof EngineFailure && !engine.dead);
      if (!isLeft) throw error;
      engine.complain(error.message);
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
    // The engine draws a sign of its own in the place of the appearance of a signature that is missing.
    if (type === "Sig") objects.putNew(annotation, "FT", objects.newName("Tx"));
    this.#areAllNeeded ??= this.#takeRequest();
    if (!objects.isDictionary(objects.get(objects.get(annotation, "AP"), "N"))) return true;
    return this.#areAllNeeded && RENEWED.has(type);
  }

  /** Removes the request for new appearances, which the engine would otherwise follow as well. */
  #takeRequest(): boolean {
    const { raw } = this.#document.engine;
    const root = this.#objects.get(raw._wasm_pdf_trailer(this.#document.pointer), "Root");
    const form = this.#objects.get(root, "AcroForm");
    const isAsked = raw._wasm_pdf_to_bool(this.#objects.get(form, "NeedAppearances")) !== 0;
    if (isAsked) this.#objects.delete(form, "NeedAppearances");
    return isAsked;
  }

  #read() {
    if (this.#reading) return this.#reading;
    const { engine, pointer, options } = this.#document;
    const budget = new Budget(options.heapLimitBytes * OBJECTS_PART);
    const file = PdfFile.of(MupdfSource.over(this.#document, budget), budget);
    const values = new EngineValues(engine, pointer);
    const appearances = new FieldAppearances(file, (object) => this.#add(values, object));
    this.#reading = { file, values, appearances };
    return this.#reading;
  }

  #add(values: EngineValues, object: PdfObject): Reference {
    const { engine, pointer } = this.#document;
    return engine.run((raw) => {
      const number = raw._wasm_pdf_create_object(pointer);
      if (object instanceof PdfStream) values.writeStream(number, object.dictionary, object.body.raw());
      else values.write(number, object);
      return new Reference(number);
    });
  }

  #dressOne(annotation: Pointer, dictionary: Dictionary): void {
    const { appearances, values } = this.#read();
    const made = appearances.make(dictionary);
    if (!made) return;
    this.#document.engine.run(() => {
      this.#objects.putNew(annotation, "AP", values.make(Dictionary.of({ N: made.normal })));
      if (made.state !== undefined) this.#objects.putNew(annotation, "AS", values.make(Name.of(made.state)));
    });
  }
}

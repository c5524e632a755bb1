// A document that is open in MuPDF. Its objects can be read as values, and objects can be added.
import type { MupdfDocument } from "../engines/mupdf/document.ts";
import { PdfObjects } from "../engines/mupdf/objects.ts";
import { Budget } from "../objects/budget.ts";
import { EngineValues } from "../objects/engine/engine-values.ts";
import { MupdfSource } from "../objects/engine/mupdf-source.ts";
import { PdfFile } from "../objects/pdf-file.ts";
import { type PdfObject, PdfStream, Reference } from "../objects/values.ts";

/** Fraction of the engine's memory for objects that are read as values. */
const OBJECTS_PART = 1 / 8;

export class DrawnFile {
  readonly document: MupdfDocument;
  readonly objects: PdfObjects;
  readonly values: EngineValues;
  #opened: { readonly source: MupdfSource; readonly file: PdfFile } | undefined;

  constructor(document: MupdfDocument) {
    this.document = document;
    this.objects = new PdfObjects(document.engine);
    this.values = new EngineValues(document.engine, document.pointer);
  }

  /** The document's objects. Each has the value of its first read, even if the engine's copy has changed since. */
  get file(): PdfFile {
    return this.#open().file;
  }

  get source(): MupdfSource {
    return this.#open().source;
  }

  /** Adds an object to the engine's copy of the document. {@link file} does not contain the object. */
  readonly add = (object: PdfObject): Reference => {
    const number = this.document.engine.run((raw) => raw._wasm_pdf_create_object(this.document.pointer));
    this.write(number, object);
    return new Reference(number);
  };

  /** Replaces an object of the engine's copy of the document. */
  write(number: number, object: PdfObject): void {
    this.document.engine.run(() => {
      if (object instanceof PdfStream) this.values.writeStream(number, object.dictionary, object.body.raw());
      else this.values.write(number, object);
    });
  }

  #open() {
    if (!this.#opened) {
      const budget = new Budget(this.document.options.heapLimitBytes * OBJECTS_PART);
      const source = MupdfSource.over(this.document, budget);
      this.#opened = { source, file: PdfFile.of(source, budget) };
    }
    return this.#opened;
  }
}

// Makes MuPDF state which marked content a text belongs to. MuPDF groups text by the elements of the structure tree only,
// and its time with a real tree has no limit. So it reads a tree of ours, with an element for each identifier.
import type { Mupdf } from "./instance/mupdf.ts";
import type { Pointer } from "./instance/raw.ts";
import type { PdfObjects } from "./objects.ts";

/** Number of elements of a group: MuPDF searches the kids of an element one by one. */
const GROUP = 64;

/** Returns the identifier of the element at a place in a group. */
export const contentAt = (group: number, place: number): number => group * GROUP + place;

export class ContentElements {
  readonly #engine: Mupdf;
  readonly #objects: PdfObjects;
  readonly #document: Pointer;
  #root: Pointer = 0;
  /** The groups, and the elements by identifier. */
  #groups: Pointer = 0;
  #elements: Pointer = 0;
  #group: Pointer = 0;
  #count = 0;

  constructor(engine: Mupdf, objects: PdfObjects, document: Pointer) {
    this.#engine = engine;
    this.#objects = objects;
    this.#document = document;
  }

  /** Makes a page refer to as many elements as it has marked contents. Must be called inside the engine's `run`. */
  attach(page: Pointer, count: number): void {
    const { raw } = this.#engine;
    if (this.#root === 0) this.#makeTree();
    while (this.#count < count) this.#addElement();
    this.#objects.putNew(page, "StructParents", raw._wasm_pdf_new_int(0));
  }

  #makeTree(): void {
    const { raw } = this.#engine;
    const objects = this.#objects;
    this.#root = this.#newObject({});
    this.#groups = raw._wasm_pdf_new_array(this.#document, 1);
    this.#elements = raw._wasm_pdf_new_array(this.#document, 1);
    const numbers = raw._wasm_pdf_new_array(this.#document, 2);
    const key = raw._wasm_pdf_new_int(0);
    raw._wasm_pdf_array_push(numbers, key);
    raw._wasm_pdf_array_push(numbers, this.#elements);
    raw._wasm_pdf_drop_obj(key);
    objects.put(this.#root, "K", this.#groups);
    objects.putNew(this.#root, "ParentTree", objects.newDictionary(this.#document, { Nums: numbers }));
    objects.put(objects.get(raw._wasm_pdf_trailer(this.#document), "Root"), "StructTreeRoot", this.#root);
  }

  #addElement(): void {
    const { raw } = this.#engine;
    const objects = this.#objects;
    if (this.#count % GROUP === 0) {
      this.#group = this.#newObject({ P: raw._wasm_pdf_keep_obj(this.#root), S: objects.newName("Div") });
      objects.putNew(this.#group, "K", raw._wasm_pdf_new_array(this.#document, GROUP));
      raw._wasm_pdf_array_push(this.#groups, this.#group);
    }
    const element = objects.newDictionary(this.#document, {
      ...{ P: raw._wasm_pdf_keep_obj(this.#group), S: objects.newName("P"), K: raw._wasm_pdf_new_int(this.#count) },
    });
    raw._wasm_pdf_array_push(objects.get(this.#group, "K"), element);
    raw._wasm_pdf_array_push(this.#elements, element);
    raw._wasm_pdf_drop_obj(element);
    this.#count++;
  }

  /** Returns a reference to a new object. */
  #newObject(entries: Readonly<Record<string, Pointer>>): Pointer {
    const { raw } = this.#engine;
    const number = raw._wasm_pdf_create_object(this.#document);
    const dictionary = this.#objects.newDictionary(this.#document, entries);
    raw._wasm_pdf_update_object(this.#document, number, dictionary);
    raw._wasm_pdf_drop_obj(dictionary);
    return raw._wasm_pdf_new_indirect(this.#document, number);
  }
}

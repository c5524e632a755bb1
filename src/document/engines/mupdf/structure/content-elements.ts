// Makes MuPDF state which marked content a text belongs to. MuPDF groups text by the elements of the structure tree only,
// and its time with a real tree has no limit. So it reads a tree of ours, with an element for each identifier.
import type { Mupdf } from "../instance/mupdf.ts";
import type { Pointer } from "../instance/raw.ts";
import type { PdfObjects } from "../objects.ts";

/** Number of elements of a group: MuPDF searches the kids of an element one by one. */
const GROUP = 64;

/** Maximum number of streams and of bytes of the contents of a page that is read with its tags. */
const MAX_STREAMS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Returns page contents with an identifier for content that has none. MuPDF counts such content as part of the marked
 * content before it.
 */
export type MarkPage = (contents: Uint8Array, id: number) => Uint8Array;

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
  /** The contents of the attached page as a stream, and as they were. */
  #marked: Pointer = 0;
  #contents: Pointer = 0;

  constructor(engine: Mupdf, objects: PdfObjects, document: Pointer) {
    this.#engine = engine;
    this.#objects = objects;
    this.#document = document;
  }

  /**
   * Makes a page refer to an element for each of its marked contents. Must be called inside the engine's `run`.
   * @returns false if its contents are too long
   */
  attach(page: Pointer, count: number, mark: MarkPage): boolean {
    const { raw } = this.#engine;
    const objects = this.#objects;
    const contents = objects.get(page, "Contents");
    const streams = objects.isArray(contents) ? objects.elements(contents, MAX_STREAMS) : [contents];
    const bytes = this.#bytesOf(streams);
    if (!bytes) return false;
    if (this.#root === 0) this.#makeTree();
    while (this.#count <= count) this.#addElement();
    this.#write(this.#marked, mark(bytes, count));
    this.#contents = raw._wasm_pdf_keep_obj(contents);
    objects.putNew(page, "StructParents", raw._wasm_pdf_new_int(0));
    objects.put(page, "Contents", this.#marked);
    return true;
  }

  /** Undoes {@link attach}, and makes MuPDF ignore the marked content of the page. */
  detach(page: Pointer): void {
    this.#objects.delete(page, "StructParents");
    this.#objects.putNew(page, "Contents", this.#contents);
  }

  #makeTree(): void {
    const { raw } = this.#engine;
    const objects = this.#objects;
    this.#root = this.#newObject({});
    this.#marked = this.#newObject({});
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

  /** Returns the bytes of streams, one after the other. @returns undefined if they are too many */
  #bytesOf(streams: readonly Pointer[]): Uint8Array | undefined {
    const { raw } = this.#engine;
    const parts: Uint8Array[] = [];
    let size = 0;
    for (const stream of streams) {
      if (raw._wasm_pdf_is_stream(stream) === 0) continue;
      const buffer = raw._wasm_pdf_load_stream(stream);
      const [from, length] = [raw._wasm_buffer_get_data(buffer), raw._wasm_buffer_get_len(buffer)];
      size += length;
      if (size <= MAX_BYTES) parts.push(raw.HEAPU8.slice(from, from + length), Buffer.from("\n"));
      raw._wasm_drop_buffer(buffer);
    }
    return size <= MAX_BYTES ? Buffer.concat(parts) : undefined;
  }

  #write(stream: Pointer, bytes: Uint8Array): void {
    const { raw } = this.#engine;
    const data = raw._wasm_malloc(bytes.length);
    raw.HEAPU8.set(bytes, data);
    const buffer = raw._wasm_new_buffer_from_data(data, bytes.length);
    raw._wasm_pdf_update_stream(this.#document, stream, buffer, 0);
    raw._wasm_drop_buffer(buffer);
  }
}

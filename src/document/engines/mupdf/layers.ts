// Applies the decisions of optional-content.ts in MuPDF. MuPDF ignores visibility expressions, misreads intents and two
// of the policies, and applies usage dictionaries although the document does not request it. So each group and
// membership dictionary of a page is rewritten to a form that MuPDF evaluates correctly.

import { OptionalContent } from "../../visibility/optional-content.ts";
import type { Mupdf } from "./instance/mupdf.ts";
import type { Pointer } from "./instance/raw.ts";
import type { PdfObjects } from "./objects.ts";

/** Maximum number of objects examined per document. MuPDF's own rules apply to further objects. */
const MAX_OBJECTS = 50_000;
/** Marks rewritten direct objects, which several pages can refer to. */
const SETTLED = "Pagewright.Settled";
/** Names of entries that can lead to optional content, and of dictionaries in which every entry can lead to it. */
const PATHS = new Set(["Resources", "Annots", "AP", "OC", "SMask", "G"]);
const CONTAINERS = new Set(["XObject", "Properties", "Pattern", "ExtGState", "N"]);

/** The layers of a document open in one engine. */
export class Layers {
  readonly #engine: Mupdf;
  readonly #document: Pointer;
  readonly #objects: PdfObjects;
  readonly #showsAll: boolean;
  readonly #seen = new Set<number>();
  #looked = 0;
  /** Undefined until the first page is rewritten. Null for a document without layers. */
  #content: OptionalContent<Pointer> | null | undefined;

  /** @param showsAll true to show all layers, whatever the document's configuration */
  constructor(engine: Mupdf, objects: PdfObjects, document: Pointer, showsAll: boolean) {
    this.#showsAll = showsAll;
    this.#engine = engine;
    this.#objects = objects;
    this.#document = document;
  }

  /**
   * Rewrites the groups and membership dictionaries to which a page can refer. Must be called inside the engine's
   * `run`.
   */
  settle(page: Pointer): void {
    if (this.#content === undefined) this.#content = this.#read();
    if (this.#content === null) return;
    this.#look("Resources", this.#objects.inherited(page, "Resources"));
    this.#look("Annots", this.#objects.get(page, "Annots"));
  }

  /** True if the document has layers, and a page was rewritten. */
  get areUsed(): boolean {
    return this.#content !== null && this.#content !== undefined;
  }

  #read(): OptionalContent<Pointer> | null {
    const root = this.#objects.get(this.#engine.raw._wasm_pdf_trailer(this.#document), "Root");
    const properties = this.#objects.get(root, "OCProperties");
    if (!this.#objects.isDictionary(properties)) return null;
    const content = new OptionalContent(this.#objects, properties);
    const groups = this.#objects.elements(this.#objects.get(properties, "OCGs"), MAX_OBJECTS);
    // MuPDF numbers the groups in descending order of their object numbers. A group that is off stays hidden.
    const kept = groups.toSorted((one, other) => this.#objects.number(other) - this.#objects.number(one));
    for (const [index, group] of kept.entries()) {
      this.#engine.raw._wasm_pdf_enable_layer(this.#document, index, this.#showsAll || content.isOn(group) ? 1 : 0);
    }
    return content;
  }

  #look(name: string, object: Pointer): void {
    const objects = this.#objects;
    const waiting: [name: string, object: Pointer][] = [[name, object]];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [path, found] = next;
      const number = objects.number(found);
      if (number > 0) {
        if (this.#seen.has(number)) continue;
        this.#seen.add(number);
      }
      const elements = objects.elements(found, MAX_OBJECTS - this.#looked);
      const entries = objects.entries(found, MAX_OBJECTS - this.#looked);
      this.#looked += elements.length + entries.length;
      if (this.#settleContent(found)) continue;
      for (const element of elements) waiting.push(["", element]);
      for (const [key, value] of entries) {
        if (CONTAINERS.has(key)) waiting.push([key, value]);
        else if (CONTAINERS.has(path) || PATHS.has(key)) waiting.push(["", value]);
      }
    }
  }

  /** @returns false if the object is neither a group nor a membership dictionary */
  #settleContent(object: Pointer): boolean {
    const objects = this.#objects;
    const type = objects.name(objects.get(object, "Type"));
    if (type !== "OCG" && type !== "OCMD" && !this.#content!.isListed(object)) return false;
    if (objects.get(object, SETTLED) !== 0) return true;
    const isShown = this.#showsAll || this.#content!.isShown(object);
    if (type === "OCMD") this.#settleMembership(object, isShown);
    else this.#settleGroup(object, isShown);
    objects.putNew(object, SETTLED, objects.newName("Yes"));
    return true;
  }

  /** Stores the visibility of a group in the group itself, in a form that is independent of its intent. */
  #settleGroup(group: Pointer, isShown: boolean): void {
    const objects = this.#objects;
    const state = this.#dictionary({ ViewState: objects.newName(isShown ? "ON" : "OFF") });
    objects.putNew(group, "Type", objects.newName("OCG"));
    objects.putNew(group, "Usage", this.#dictionary({ View: state }));
    objects.putNew(group, "Intent", objects.newName("All"));
  }

  /** Removes the members if the membership dictionary is visible; replaces them by one hidden group if it is hidden. */
  #settleMembership(membership: Pointer, isShown: boolean): void {
    const objects = this.#objects;
    for (const key of ["VE", "P", "OCGs"]) objects.delete(membership, key);
    if (isShown) return;
    const hidden = this.#dictionary({});
    this.#settleGroup(hidden, false);
    objects.putNew(membership, "OCGs", hidden);
  }

  #dictionary(entries: Readonly<Record<string, Pointer>>): Pointer {
    return this.#objects.newDictionary(this.#document, entries);
  }
}

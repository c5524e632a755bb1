// Applies the decisions of optional-content.ts in MuPDF. MuPDF ignores visibility expressions, misreads two policies
// and intents, and applies usage that was not requested, so the content that a page names is rewritten to what MuPDF
// reads correctly.

import { OptionalContent } from "../../visibility/optional-content.ts";
import type { Mupdf } from "./instance/mupdf.ts";
import type { Pointer } from "./instance/raw.ts";
import type { PdfObjects } from "./objects.ts";

/** Limits the objects that are examined in a document. The rest is left to MuPDF. */
const MAX_OBJECTS = 50_000;
/** Marks rewritten content that is not a reference, because several pages may lead to it. */
const SETTLED = "Pagewright.Settled";
/** Entries that lead to optional content, and dictionaries in which every entry does. */
const PATHS = new Set(["Resources", "Annots", "AP", "OC", "SMask", "G"]);
const CONTAINERS = new Set(["XObject", "Properties", "Pattern", "ExtGState", "N"]);

/** The layers of a document that is open in one engine. */
export class Layers {
  readonly #engine: Mupdf;
  readonly #document: Pointer;
  readonly #objects: PdfObjects;
  readonly #seen = new Set<number>();
  #looked = 0;
  /** Read with the first page. Null if the document has no layers. */
  #content: OptionalContent<Pointer> | null | undefined;

  constructor(engine: Mupdf, objects: PdfObjects, document: Pointer) {
    this.#engine = engine;
    this.#objects = objects;
    this.#document = document;
  }

  /** Rewrites the groups and membership dictionaries that a page can name. Must be called within the engine's `run`. */
  settle(page: Pointer): void {
    if (this.#content === undefined) this.#content = this.#read();
    if (this.#content === null) return;
    this.#look("Resources", this.#objects.inherited(page, "Resources"));
    this.#look("Annots", this.#objects.get(page, "Annots"));
  }

  #read(): OptionalContent<Pointer> | null {
    const root = this.#objects.get(this.#engine.raw._wasm_pdf_trailer(this.#document), "Root");
    const properties = this.#objects.get(root, "OCProperties");
    if (!this.#objects.isDictionary(properties)) return null;
    const content = new OptionalContent(this.#objects, properties);
    const groups = this.#objects.elements(this.#objects.get(properties, "OCGs"), MAX_OBJECTS);
    // MuPDF keeps groups by descending object number, and hides a group that is off in any case.
    const kept = groups.toSorted((one, other) => this.#objects.number(other) - this.#objects.number(one));
    for (const [index, group] of kept.entries()) {
      this.#engine.raw._wasm_pdf_enable_layer(this.#document, index, content.isOn(group) ? 1 : 0);
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
    const isShown = this.#content!.isShown(object);
    if (type === "OCMD") this.#settleMembership(object, isShown);
    else this.#settleGroup(object, isShown);
    objects.putNew(object, SETTLED, objects.newName("Yes"));
    return true;
  }

  /** Makes the group state its own visibility, which every reader interprets the same way, whatever the intent. */
  #settleGroup(group: Pointer, isShown: boolean): void {
    const objects = this.#objects;
    const state = this.#dictionary({ ViewState: objects.newName(isShown ? "ON" : "OFF") });
    objects.putNew(group, "Type", objects.newName("OCG"));
    objects.putNew(group, "Usage", this.#dictionary({ View: state }));
    objects.putNew(group, "Intent", objects.newName("All"));
  }

  /** Replaces the members: a membership without groups is visible, one with only a hidden group is hidden. */
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

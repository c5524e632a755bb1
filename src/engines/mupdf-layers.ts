// Optional content whose visibility depends on several groups: MuPDF ignores visibility expressions and gets two policies wrong,
// so they are evaluated here and the objects rewritten to what MuPDF gets right. Knows no page beyond what is reachable from it.
import { isShownBy } from "./membership.ts";
import type { Mupdf } from "./mupdf.ts";
import type { PdfObjects } from "./mupdf-objects.ts";
import type { Pointer } from "./mupdf-raw.ts";

/** Objects that are looked at in a document, and groups in its expressions; what lies beyond is left to MuPDF. */
const MAX_OBJECTS = 50_000;
const MAX_STEPS = 50_000;
const MAX_DEPTH = 32;
/** Where optional content is named: entries that lead to it, and dictionaries in which every entry does. */
const PATHS = new Set(["Resources", "Annots", "AP", "OC", "SMask", "G"]);
const CONTAINERS = new Set(["XObject", "Properties", "Pattern", "ExtGState", "N"]);

/** The layers of a document that is open in one engine. */
export class Layers {
  readonly #engine: Mupdf;
  readonly #document: Pointer;
  readonly #objects: PdfObjects;
  readonly #seen = new Set<number>();
  #looked = 0;
  #steps = 0;
  /** By object number: whether a group is on. Not read before the first page; null where the document has no layers. */
  #states: ReadonlyMap<number, boolean> | null | undefined;

  constructor(engine: Mupdf, objects: PdfObjects, document: Pointer) {
    this.#engine = engine;
    this.#objects = objects;
    this.#document = document;
  }

  /** Rewrites the membership dictionaries that a page can name. To be called inside of the engine's `run`. */
  settle(page: Pointer): void {
    if (this.#states === undefined) this.#states = this.#readStates();
    if (this.#states === null) return;
    this.#look("Resources", this.#objects.inherited(page, "Resources"));
    this.#look("Annots", this.#objects.get(page, "Annots"));
  }

  #properties(): Pointer {
    const root = this.#objects.get(this.#engine.raw._wasm_pdf_trailer(this.#document), "Root");
    return this.#objects.get(root, "OCProperties");
  }

  /** The initial states (ISO 32000-1, 8.11.4.3, table 101). */
  #readStates(): Map<number, boolean> | null {
    const objects = this.#objects;
    const properties = this.#properties();
    if (!objects.isDictionary(properties)) return null;
    const configuration = objects.get(properties, "D");
    const states = new Map<number, boolean>();
    const set = (groups: Pointer, on: boolean) => {
      for (const group of objects.elements(groups, MAX_OBJECTS)) states.set(objects.number(group), on);
    };
    set(objects.get(properties, "OCGs"), objects.name(objects.get(configuration, "BaseState")) !== "OFF");
    set(objects.get(configuration, "ON"), true);
    set(objects.get(configuration, "OFF"), false);
    return states;
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
      if (objects.name(objects.get(found, "Type")) === "OCMD") {
        this.#rewrite(found);
        continue;
      }
      for (const element of elements) waiting.push(["", element]);
      for (const [key, value] of entries) {
        if (CONTAINERS.has(key)) waiting.push([key, value]);
        else if (CONTAINERS.has(path) || PATHS.has(key)) waiting.push(["", value]);
      }
    }
  }

  /** Visible is what has no groups; hidden is what has only one that is not for print. */
  #rewrite(membership: Pointer): void {
    const objects = this.#objects;
    const visible = this.#isVisible(membership);
    if (this.#steps > MAX_STEPS) return;
    objects.delete(membership, "VE");
    objects.delete(membership, "P");
    if (visible) {
      objects.delete(membership, "OCGs");
      return;
    }
    const dictionary = (entries: Readonly<Record<string, Pointer>>) => objects.newDictionary(this.#document, entries);
    const usage = dictionary({ Print: dictionary({ PrintState: objects.newName("OFF") }) });
    objects.putNew(membership, "OCGs", dictionary({ Type: objects.newName("OCG"), Usage: usage }));
  }

  /** ISO 32000-1, 8.11.2.2: an expression comes before a policy, and what has no groups is visible. */
  #isVisible(membership: Pointer): boolean {
    const objects = this.#objects;
    const expression = objects.get(membership, "VE");
    if (objects.isArray(expression)) return this.#evaluate(expression, 0);
    const named = objects.get(membership, "OCGs");
    const groups = (objects.isArray(named) ? objects.elements(named, MAX_STEPS) : [named]).filter((group) =>
      objects.isDictionary(group),
    );
    this.#steps += groups.length;
    if (groups.length === 0) return true;
    return isShownBy(objects.name(objects.get(membership, "P")), groups, (group) => this.#isOn(group));
  }

  #evaluate(expression: Pointer, depth: number): boolean {
    const objects = this.#objects;
    if (!objects.isArray(expression)) return this.#isOn(expression);
    if (depth > MAX_DEPTH || this.#steps > MAX_STEPS) return true;
    const [operator = 0, ...operands] = objects.elements(expression, MAX_STEPS);
    this.#steps += 1 + operands.length;
    const isTrue = (operand: Pointer) => this.#evaluate(operand, depth + 1);
    switch (objects.name(operator)) {
      case "And":
        return operands.every(isTrue);
      case "Or":
        return operands.some(isTrue);
      case "Not":
        return operands.length !== 1 || !isTrue(operands[0]!);
      default:
        return true;
    }
  }

  /** As MuPDF decides on a single group: its print usage, or else its state. */
  #isOn(group: Pointer): boolean {
    const objects = this.#objects;
    const print = objects.get(objects.get(group, "Usage"), "Print");
    const usage = objects.name(objects.get(print, "PrintState"));
    if (usage === "ON" || usage === "OFF") return usage === "ON";
    return this.#states?.get(objects.number(group)) ?? true;
  }
}

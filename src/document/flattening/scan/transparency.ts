// Finds the causes of transparent painting (ISO 32000-1, 11.6): entries of graphics states and images, in all reachable
// resources.
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, PdfStream, Reference, type Value } from "../../objects/values.ts";

/** The transparency parameters that a graphics state dictionary sets. Absent parameters stay unchanged. */
export interface TransparencyParams {
  readonly fillAlpha?: number;
  readonly strokeAlpha?: number;
  readonly isBlended?: boolean;
  readonly isMasked?: boolean;
}

/** Maximum number of dictionaries per search. If a search needs more, its object counts as transparent. */
const MAX_STEPS = 20_000;
/** Maximum number of dictionaries in all searches of a document. */
const MAX_TOTAL_STEPS = 2_000_000;
const NO_BLENDING = new Set(["Normal", "Compatible"]);

export class TransparencyFinder {
  readonly #file: PdfFile;
  /** The results by object number: true if the object, or any object reachable from it, is transparent. */
  readonly #found = new Map<number, boolean>();
  #steps = 0;

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** Reads alpha, blend mode and soft mask (11.6.4.3, 11.6.3 and 11.6.5.1). */
  ofState(state: Dictionary): TransparencyParams {
    const file = this.#file;
    const params: { -readonly [K in keyof TransparencyParams]: TransparencyParams[K] } = {};
    const fill = file.number(state.get("ca"));
    const stroke = file.number(state.get("CA"));
    if (fill !== undefined) params.fillAlpha = fill;
    if (stroke !== undefined) params.strokeAlpha = stroke;
    if (state.has("BM")) {
      const blend = state.get("BM");
      const name = file.name(file.array(blend)?.[0] ?? blend);
      if (name !== undefined) params.isBlended = !NO_BLENDING.has(name);
    }
    if (state.has("SMask")) params.isMasked = file.dictionary(state.get("SMask")) !== undefined;
    return params;
  }

  isTransparentState(state: Dictionary): boolean {
    const { fillAlpha = 1, strokeAlpha = 1, isBlended, isMasked } = this.ofState(state);
    return fillAlpha < 1 || strokeAlpha < 1 || isBlended === true || isMasked === true;
  }

  /** Reports whether an image has a soft mask (11.6.5.3). JPEG 2000 data can contain the soft mask. */
  isTransparentImage(image: Dictionary): boolean {
    return (
      this.#file.stream(image.get("SMask")) !== undefined || (this.#file.number(image.get("SMaskInData")) ?? 0) > 0
    );
  }

  /** Reports whether painting with these resources might be transparent. */
  inResources(resources: Value | undefined): boolean {
    return resources !== undefined && this.#search(resources, "resources");
  }

  /** Reports whether an image, form, pattern or Type 3 font contains transparency. */
  inObject(value: Value | undefined): boolean {
    return value !== undefined && this.#search(value, "object");
  }

  /** Searches depth first, without recursion. If it finds no transparency, records all visited objects as opaque. */
  #search(start: Value, as: "resources" | "object"): boolean {
    const visited = new Set<number>();
    const waiting: { readonly value: Value; readonly as: "resources" | "object" }[] = [{ value: start, as }];
    for (let steps = 0, next = waiting.pop(); next; next = waiting.pop()) {
      if (next.value instanceof Reference) {
        const { number } = next.value;
        const known = this.#found.get(number);
        if (known) return this.#note(start, true);
        if (known === false || visited.has(number)) continue;
        visited.add(number);
      }
      if (++steps > MAX_STEPS || ++this.#steps > MAX_TOTAL_STEPS) return this.#note(start, true);
      const object = this.#file.resolve(next.value);
      const dictionary = object instanceof PdfStream ? object.dictionary : object;
      if (!(dictionary instanceof Dictionary)) continue;
      if (next.as === "object") {
        if (this.#isMarked(dictionary)) return this.#note(start, true);
        const resources = dictionary.get("Resources");
        if (resources !== undefined) waiting.push({ value: resources, as: "resources" });
        continue;
      }
      for (const state of this.#values(dictionary, "ExtGState")) {
        const resolved = this.#file.dictionary(state);
        if (resolved && this.isTransparentState(resolved)) return this.#note(start, true);
      }
      for (const category of ["XObject", "Pattern"]) {
        for (const value of this.#values(dictionary, category)) waiting.push({ value, as: "object" });
      }
      for (const font of this.#values(dictionary, "Font")) {
        if (this.#file.name(this.#file.dictionary(font)?.get("Subtype")) === "Type3")
          waiting.push({ value: font, as: "object" });
      }
    }
    for (const number of visited) this.#found.set(number, false);
    return false;
  }

  #isMarked(dictionary: Dictionary): boolean {
    const file = this.#file;
    if (file.name(dictionary.get("Subtype")) === "Image") return this.isTransparentImage(dictionary);
    const state = dictionary.get("PatternType") === 2 ? file.dictionary(dictionary.get("ExtGState")) : undefined;
    return state !== undefined && this.isTransparentState(state);
  }

  #values(resources: Dictionary, category: string): readonly Value[] {
    return this.#file.dictionary(resources.get(category))?.values() ?? [];
  }

  #note(start: Value, found: boolean): boolean {
    if (start instanceof Reference) this.#found.set(start.number, found);
    return found;
  }
}

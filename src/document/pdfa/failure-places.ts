// Finds where the validator's findings are on pages: annotations by their rectangles, structure elements by the box of
// their layout. Other places only have a page, at most.
import { readBox } from "../content/boxes.ts";
import type { Box } from "../content/matrix.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { type Dictionary, Reference, type Value } from "../objects/values.ts";
import { readPages } from "../pages/pages.ts";
import type { FailureLocation } from "./rule-failure.ts";

export interface FoundPlace {
  /** Page index, from 0. */
  readonly pageIndex?: number;
  /** In user space of the page. */
  readonly box?: Box;
}

/** The nearest annotation in a location. */
const ANNOTATION = /^.*\/annots\[\d+\]\((\d{1,9}) /;
const ELEMENT = "/StructTreeRoot[";
/** Maximum number of ancestors of an element, and of its kids, in which its page is searched. */
const MAX_DEPTH = 32;

export class FailurePlaces {
  readonly #file: PdfFile;
  readonly #pages: ReadonlyMap<number, number>;

  constructor(file: PdfFile) {
    this.#file = file;
    this.#pages = new Map(readPages(file).pages.map(({ reference, index }) => [reference.number, index]));
  }

  find({ pageNumber, objectNumber, context }: FailureLocation): FoundPlace {
    const annotation = ANNOTATION.exec(context)?.[1];
    if (pageNumber !== undefined) {
      return placed(pageNumber - 1, annotation && this.#rectangle(new Reference(Number(annotation))));
    }
    if (objectNumber === undefined || !context.includes(ELEMENT)) return {};
    const element = this.#file.dictionary(new Reference(objectNumber));
    return element ? placed(this.#pageOf(element), this.#boxOf(element)) : {};
  }

  #rectangle(annotation: Value): Box | undefined {
    return readBox(this.#file, this.#file.dictionary(annotation)?.get("Rect"));
  }

  /** Returns the index of the page of an element, its kids or its ancestors. */
  #pageOf(element: Dictionary): number | undefined {
    let above: Dictionary | undefined = element;
    for (let depth = 0; above && depth < MAX_DEPTH; depth++) {
      for (const page of [above, ...this.#kidsOf(above)].map((one) => one.get("Pg"))) {
        const index = page instanceof Reference ? this.#pages.get(page.number) : undefined;
        if (index !== undefined) return index;
      }
      above = this.#file.dictionary(above.get("P"));
    }
    return undefined;
  }

  #boxOf(element: Dictionary): Box | undefined {
    const file = this.#file;
    const attributes = element.get("A");
    for (const one of file.array(attributes) ?? [attributes]) {
      const box = readBox(file, file.dictionary(one)?.get("BBox"));
      if (box) return box;
    }
    return this.#kidsOf(element)
      .map((kid) => this.#rectangle(kid.get("Obj") ?? null))
      .find((box) => box !== undefined);
  }

  #kidsOf(element: Dictionary): Dictionary[] {
    const kids = element.get("K");
    const all = this.#file.array(kids) ?? (kids === undefined ? [] : [kids]);
    return all.slice(0, MAX_DEPTH).flatMap((kid) => this.#file.dictionary(kid) ?? []);
  }
}

const placed = (pageIndex: number | undefined, box: Box | "" | undefined): FoundPlace => ({
  ...(pageIndex === undefined ? {} : { pageIndex, ...(box ? { box } : {}) }),
});

// Corrects shadings and images that MuPDF draws differently from the standard, in all resources of a page.

import type { Pointer } from "../engines/mupdf/instance/raw.ts";
import type { PdfObjects } from "../engines/mupdf/objects.ts";
import { readOpacity, withoutOpacity } from "../images/jpx-opacity.ts";
import { Reference } from "../objects/values.ts";
import type { DrawnFile } from "./drawn-file.ts";
import { DrawnShadings } from "./drawn-shadings.ts";

/** Maximum number of objects examined per document. Further objects are drawn without corrections. */
const MAX_OBJECTS = 20_000;
/** Maximum number of images decoded per document for corrections. */
const MAX_DECODED = 64;

export class DrawnResources {
  readonly #drawn: DrawnFile;
  readonly #objects: PdfObjects;
  readonly #seen = new Set<number>();
  readonly #shadings: DrawnShadings;
  #looked = 0;
  #decoded = 0;
  /** Object numbers of JPEG 2000 images. */
  #images: number[] = [];

  constructor(drawn: DrawnFile) {
    this.#drawn = drawn;
    this.#objects = drawn.objects;
    this.#shadings = new DrawnShadings(drawn);
  }

  repairPage(page: Pointer): void {
    this.#repair(() => {
      const { document } = this.#drawn;
      const objects = this.#objects;
      this.#look(objects.inherited(page, "Resources"));
      if (document.options.annotations === "none") return;
      for (const annotation of objects.elements(objects.get(page, "Annots"), MAX_OBJECTS - this.#looked)) {
        const normal = objects.get(objects.get(annotation, "AP"), "N");
        if (document.engine.raw._wasm_pdf_is_stream(normal)) this.#lookAtOwner(normal);
        else for (const [, state] of this.#entries(normal)) this.#lookAtOwner(state);
      }
    });
  }

  /** Corrects the resources of a form that was created for drawing. */
  repairForm(number: number): void {
    this.#repair(() => {
      const form = this.#drawn.values.number(number);
      this.#look(this.#objects.get(form, "Resources"));
      this.#drawn.document.engine.raw._wasm_pdf_drop_obj(form);
    });
  }

  #repair(look: () => void): void {
    this.#drawn.document.engine.run(look);
    for (const number of this.#images.splice(0)) this.#repairImage(number);
  }

  #entries(dictionary: Pointer): [key: string, value: Pointer][] {
    const entries = this.#objects.entries(dictionary, MAX_OBJECTS - this.#looked);
    this.#looked += entries.length;
    return entries;
  }

  /** Corrects resources, and the resources of every object that they refer to. */
  #look(resources: Pointer): void {
    const objects = this.#objects;
    const waiting = [resources];
    const own = (owner: Pointer) => {
      if (this.#isNew(owner)) waiting.push(objects.get(owner, "Resources"));
    };
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next === 0 || !this.#isNew(next)) continue;
      const [shadings, patterns] = [objects.get(next, "Shading"), objects.get(next, "Pattern")];
      for (const [name, shading] of this.#entries(shadings)) this.#shadings.repairPainted(shadings, name, shading);
      for (const [, object] of this.#entries(objects.get(next, "XObject"))) {
        if (objects.name(objects.get(object, "Subtype")) === "Image") this.#note(object);
        else own(object);
      }
      for (const [name, pattern] of this.#entries(patterns)) {
        this.#shadings.repairPattern(patterns, name, pattern);
        own(pattern);
      }
      for (const [, font] of this.#entries(objects.get(next, "Font"))) {
        if (objects.get(font, "CharProcs") !== 0) own(font);
      }
      for (const [, state] of this.#entries(objects.get(next, "ExtGState"))) {
        own(objects.get(objects.get(state, "SMask"), "G"));
      }
    }
  }

  #lookAtOwner(owner: Pointer): void {
    const resources = this.#objects.get(owner, "Resources");
    if (resources !== 0 && this.#isNew(owner)) this.#look(resources);
  }

  /** Direct objects have no number, so they are examined each time. */
  #isNew(object: Pointer): boolean {
    const number = this.#objects.number(object);
    if (number === 0) return this.#looked < MAX_OBJECTS;
    if (this.#seen.has(number)) return false;
    this.#seen.add(number);
    return true;
  }

  #note(image: Pointer): void {
    if (!this.#isNew(image)) return;
    const objects = this.#objects;
    const filter = objects.get(image, "Filter");
    const [first = filter] = objects.elements(filter, 1);
    const number = objects.number(image);
    if (number > 0 && objects.name(first) === "JPXDecode") this.#images.push(number);
    const mask = objects.get(image, "SMask");
    if (mask !== 0) this.#note(mask);
  }

  /**
   * Reduces an image to one source of opacity, as the standard requires. MuPDF would apply both the opacity in the JPEG
   * 2000 data and the mask.
   */
  #repairImage(number: number): void {
    const { document, file, source, add, values, objects } = this.#drawn;
    const { engine } = document;
    const stream = file.stream(new Reference(number));
    const found = stream && readOpacity(file, stream);
    if (!found) return;
    const { isPlain, space } = found.channels;
    const isDrawnWell = found.mask !== undefined && isPlain && space !== "ycc";
    if (isDrawnWell && file.number(stream.dictionary.get("SMaskInData")) === 1) {
      engine.run(() => {
        const image = values.number(number);
        for (const key of ["Mask", "SMask"]) objects.delete(image, key);
        engine.raw._wasm_pdf_drop_obj(image);
      });
      return;
    }
    if (this.#decoded++ >= MAX_DECODED) return;
    const repaired = withoutOpacity(file, stream, found, (...data) => source.colors.decodeJpx(...data), add);
    if (repaired) this.#drawn.write(number, repaired);
  }
}

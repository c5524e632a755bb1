// Mends shadings and images that the engine draws differently from the standard, wherever a page can name them.
import type { PdfObjects } from "../../engines/mupdf/objects.ts";
import type { Pointer } from "../../engines/mupdf/raw.ts";
import { readOpacity, withoutOpacity } from "../images/jpx-opacity.ts";
import { PdfStream, plainBody, Reference } from "../objects/values.ts";
import type { DrawnFile } from "./drawn-file.ts";

/** Limits the objects of a document that are examined. The rest is drawn as the engine does. */
const MAX_OBJECTS = 20_000;
/** Limits the images of a document that are decoded for mending. */
const MAX_DECODED = 64;
const MAX_SHADING_BYTES = 64 * 2 ** 20;

export class DrawnResources {
  readonly #drawn: DrawnFile;
  readonly #objects: PdfObjects;
  readonly #seen = new Set<number>();
  /** Copies of shadings without a background, by the number of the original. */
  readonly #plain = new Map<number, Reference>();
  #looked = 0;
  #decoded = 0;
  /** Numbers of images with JPEG 2000 data. */
  #images: number[] = [];

  constructor(drawn: DrawnFile) {
    this.#drawn = drawn;
    this.#objects = drawn.objects;
  }

  mendPage(page: Pointer): void {
    this.#mend(() => {
      const objects = this.#objects;
      this.#look(objects.inherited(page, "Resources"));
      if (this.#drawn.document.options.annotations === "none") return;
      for (const annotation of objects.elements(objects.get(page, "Annots"), MAX_OBJECTS - this.#looked)) {
        const normal = objects.get(objects.get(annotation, "AP"), "N");
        this.#lookAtOwner(normal);
        for (const [, state] of this.#drawn.document.engine.raw._wasm_pdf_is_stream(normal)
          ? []
          : this.#entries(normal))
          this.#lookAtOwner(state);
      }
    });
  }

  /** Mends what a form names that was made for drawing. */
  mendForm(number: number): void {
    this.#mend(() => {
      const form = this.#drawn.values.number(number);
      this.#look(this.#objects.get(form, "Resources"));
      this.#drawn.document.engine.raw._wasm_pdf_drop_obj(form);
    });
  }

  #mend(look: () => void): void {
    this.#drawn.document.engine.run(look);
    for (const number of this.#images.splice(0)) this.#mendImage(number);
  }

  #entries(dictionary: Pointer): [key: string, value: Pointer][] {
    const entries = this.#objects.entries(dictionary, MAX_OBJECTS - this.#looked);
    this.#looked += entries.length;
    return entries;
  }

  /** Looks at resources, and at those of everything that they lead to. */
  #look(resources: Pointer): void {
    const objects = this.#objects;
    const waiting = [resources];
    const own = (owner: Pointer) => {
      if (this.#isNew(owner)) waiting.push(objects.get(owner, "Resources"));
    };
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next === 0 || !this.#isNew(next)) continue;
      this.#withoutBackgrounds(objects.get(next, "Shading"));
      for (const [, object] of this.#entries(objects.get(next, "XObject"))) {
        if (objects.name(objects.get(object, "Subtype")) === "Image") this.#note(object);
        else own(object);
      }
      for (const [, pattern] of this.#entries(objects.get(next, "Pattern"))) own(pattern);
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

  /** Direct objects have no number, and are examined each time. */
  #isNew(object: Pointer): boolean {
    const number = this.#objects.number(object);
    if (number === 0) return this.#looked < MAX_OBJECTS;
    if (this.#seen.has(number)) return false;
    this.#seen.add(number);
    return true;
  }

  /** Removes the backgrounds of shadings that an operator paints. Only patterns have one (ISO 32000-1, table 78). */
  #withoutBackgrounds(shadings: Pointer): void {
    for (const [name, shading] of this.#entries(shadings)) {
      if (this.#objects.get(shading, "Background") === 0) continue;
      const number = this.#objects.number(shading);
      if (number === 0) this.#objects.delete(shading, "Background");
      else this.#objects.putNew(shadings, name, this.#drawn.values.make(this.#plainShading(number)));
    }
  }

  #plainShading(number: number): Reference {
    const known = this.#plain.get(number);
    if (known) return known;
    const { file, add } = this.#drawn;
    const object = file.resolve(new Reference(number));
    const dictionary = file.dictionary(new Reference(number))!.clone();
    dictionary.delete("Background");
    const copy = add(
      object instanceof PdfStream
        ? new PdfStream(dictionary, plainBody(object.body.decoded(MAX_SHADING_BYTES)))
        : dictionary,
    );
    this.#plain.set(number, copy);
    return copy;
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

  /** The engine applies opacity of the data and any mask, where the standard has one of them at most. */
  #mendImage(number: number): void {
    const { document, file, source, add, values, objects } = this.#drawn;
    const { engine } = document;
    const stream = file.stream(new Reference(number));
    const found = stream && readOpacity(file, stream);
    if (!found) return;
    if (found.mask !== undefined && found.channels.isPlain && file.number(stream.dictionary.get("SMaskInData")) === 1) {
      engine.run(() => {
        const image = values.number(number);
        for (const key of ["Mask", "SMask"]) objects.delete(image, key);
        engine.raw._wasm_pdf_drop_obj(image);
      });
      return;
    }
    if (this.#decoded++ >= MAX_DECODED) return;
    const mended = withoutOpacity(file, stream, found, (...data) => source.decodeJpx(...data), add);
    if (mended) this.#drawn.write(number, mended);
  }
}

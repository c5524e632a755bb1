// Creates missing appearances of annotations (ISO 32000-1, 12.5.5) with MuPDF, in a second copy of the document.
import type { MupdfSource } from "../objects/engine/mupdf-source.ts";
import { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, type PdfObject, PdfStream, Reference, type Value } from "../objects/values.ts";

export interface MadeAppearance {
  /** A stream, or a dictionary of states. */
  readonly normal: Value;
  /** Rectangle of the annotation, which MuPDF enlarges for lines and borders. */
  readonly rectangle: Value;
}

/** A file, and its source. */
interface Document {
  readonly file: PdfFile;
  /** Opens the same document again. */
  readonly reopen: () => Promise<MupdfSource>;
}

/**
 * @param numbers object numbers of annotations, by page index
 * @returns appearances by the object number of the annotation, except those that could not be created
 */
export async function madeAppearances(
  { file, reopen }: Document,
  numbers: ReadonlyMap<number, ReadonlySet<number>>,
): Promise<ReadonlyMap<number, MadeAppearance>> {
  const appearances = new Map<number, MadeAppearance>();
  if (numbers.size === 0) return appearances;
  const source = await reopen();
  try {
    const { size } = source;
    source.makeAppearances(numbers);
    const made = PdfFile.of(source, file.budget);
    const copier = new Copier(made, file, size);
    for (const number of [...numbers.values()].flatMap((some) => [...some])) {
      const annotation = made.dictionary(new Reference(number));
      const normal = made.dictionary(annotation?.get("AP"))?.get("N");
      const rectangle = annotation?.get("Rect");
      if (made.dictionary(normal) && rectangle !== undefined)
        appearances.set(number, { normal: copier.value(normal!), rectangle: copier.value(rectangle) });
    }
    copier.finish();
    return appearances;
  } finally {
    source.close();
  }
}

/**
 * Copies objects that MuPDF has created. Older objects are not copied: they have the same numbers in the target file.
 */
class Copier {
  readonly #from: PdfFile;
  readonly #to: PdfFile;
  readonly #size: number;
  readonly #copies = new Map<number, Reference>();
  readonly #waiting: Reference[] = [];

  constructor(from: PdfFile, to: PdfFile, size: number) {
    this.#from = from;
    this.#to = to;
    this.#size = size;
  }

  value(value: Value): Value {
    if (value instanceof Reference) return this.#reference(value);
    if (value instanceof Dictionary) return this.#dictionary(value);
    return Array.isArray(value) ? value.map((element) => this.value(element)) : value;
  }

  finish(): void {
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) {
      const copy = this.#object(this.#from.resolve(next));
      if (copy !== null) this.#to.put(this.#copies.get(next.number)!, copy);
    }
  }

  #reference(reference: Reference): Reference {
    const { number } = reference;
    if (number < this.#size) return reference;
    const known = this.#copies.get(number);
    if (known) return known;
    const copy = this.#to.reserve();
    this.#copies.set(number, copy);
    this.#waiting.push(reference);
    return copy;
  }

  #dictionary(dictionary: Dictionary): Dictionary {
    const copy = new Dictionary();
    for (const [key, value] of dictionary) copy.set(key, this.value(value));
    return copy;
  }

  #object(object: PdfObject): PdfObject {
    if (!(object instanceof PdfStream)) return this.value(object);
    // A copy of the bytes, because the source will be closed.
    const bytes = object.body.raw();
    const decoded = object.body.decoded(MAX_DECODED_BYTES);
    return new PdfStream(this.#dictionary(object.dictionary), { raw: () => bytes, decoded: () => decoded });
  }
}

const MAX_DECODED_BYTES = 64 * 2 ** 20;

// Applies the transfer functions of a document's graphics states to its colors, so that the functions can be removed
// (ISO 32000-1, 10.5). Pages without transfer functions stay unchanged.
import type { ContentOperation } from "../content/content.ts";
import { readImage } from "../images/image.ts";
import { inlineBody } from "../images/inline-images.ts";
import type { MupdfSource } from "../objects/engine/mupdf-source.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { serialize } from "../objects/serialize.ts";
import { Dictionary, Name, PdfStream, plainBody, Reference, type Value } from "../objects/values.ts";
import { pageDictionary, readPages } from "../pages/pages.ts";
import { readTransfer, type Transfer } from "./transfer/transfer.ts";
import { applyTransfer, readSpace } from "./transfer/transferred-colors.ts";
import {
  BLACK,
  type Inherited,
  type PaintColor,
  TransferredContent,
  type TransferredObjects,
} from "./transfer/transferred-content.ts";
import { transferredImage } from "./transfer/transferred-images.ts";
import { transferredShading } from "./transfer/transferred-shadings.ts";

const MAX_CONTENT_BYTES = 64 * 2 ** 20;
const MAX_DEPTH = 16;
/** Maximum number of new objects. After that, objects keep their colors. */
const MAX_CREATED = 20_000;
const COLORED_TILE = 1;
const SHADING_PATTERN = 2;
const OF_NAMED = ["XObject", "Pattern", "Font"];

/** @returns the number of pages whose colors changed */
export async function applyTransfers(file: PdfFile, source: MupdfSource, signal: AbortSignal): Promise<number> {
  const applying = new Applying(file, source);
  let count = 0;
  const seen = new Set<number>();
  for (const page of readPages(file).pages) {
    signal.throwIfAborted();
    if (seen.has(page.reference.number)) continue;
    seen.add(page.reference.number);
    if (applying.page(page.reference, pageDictionary(file, page))) count++;
    await file.relieve();
  }
  return count;
}

class Applying implements TransferredObjects {
  readonly #file: PdfFile;
  readonly #source: MupdfSource;
  readonly #made = new Map<string, Reference | undefined>();
  readonly #withTransfers = new Map<Dictionary, boolean>();
  #depth = 0;

  constructor(file: PdfFile, source: MupdfSource) {
    this.#file = file;
    this.#source = source;
  }

  /** @returns true if the page changed */
  page(reference: Reference, page: Dictionary): boolean {
    const file = this.#file;
    let hasChanged = false;
    const start: Inherited = { transfer: null, fill: BLACK, stroke: BLACK };
    const resources = file.dictionary(page.get("Resources"));
    if (resources && this.#uses(resources)) {
      const contents = page.get("Contents");
      const parts = (file.array(contents) ?? [contents ?? null]).flatMap((part) => {
        const bytes = this.#bytes(file.stream(part));
        return bytes ? [bytes, Buffer.from("\n")] : [];
      });
      const content = new TransferredContent(file, resources, this, start);
      const stream = new PdfStream(new Dictionary(), plainBody(content.rewrite(Buffer.concat(parts))));
      const changed = (file.dictionary(reference) ?? new Dictionary()).clone().set("Contents", file.add(stream));
      file.put(reference, changed.set("Resources", content.resources));
      hasChanged = content.hasChanged;
    }
    for (const form of this.#appearances(page)) {
      const made = this.object(form, start, new Dictionary());
      const stream = made && file.stream(made);
      if (stream) file.put(form, stream);
      hasChanged ||= made !== undefined;
    }
    return hasChanged;
  }

  #appearances(page: Dictionary): Reference[] {
    const file = this.#file;
    return (file.array(page.get("Annots")) ?? []).flatMap((annotation) =>
      (file.dictionary(file.dictionary(annotation)?.get("AP"))?.values() ?? [])
        .flatMap((value) => (file.stream(value) ? [value] : [...(file.dictionary(value)?.values() ?? [])]))
        .filter((value) => value instanceof Reference && file.stream(value) !== undefined),
    ) as Reference[];
  }

  #bytes(stream: PdfStream | undefined): Uint8Array | undefined {
    try {
      return stream?.body.decoded(MAX_CONTENT_BYTES);
    } catch {
      // Content that cannot be decoded draws nothing.
      return undefined;
    }
  }

  /** Reports whether content with these resources might use transfer functions. */
  #uses(resources: Dictionary, depth = 0): boolean {
    const file = this.#file;
    const known = this.#withTransfers.get(resources);
    if (known !== undefined || depth > MAX_DEPTH) return known ?? false;
    this.#withTransfers.set(resources, false);
    const states = file.dictionary(resources.get("ExtGState"))?.values() ?? [];
    const used =
      states.some((state) => readTransfer(file, file.dictionary(state)) instanceof Object) ||
      OF_NAMED.some((category) =>
        (file.dictionary(resources.get(category))?.values() ?? []).some((value) => {
          const inner = file.dictionary(file.dictionary(value)?.get("Resources"));
          return inner !== undefined && this.#uses(inner, depth + 1);
        }),
      );
    this.#withTransfers.set(resources, used);
    return used;
  }

  color(color: PaintColor, transfer: Transfer | null): PaintColor {
    const file = this.#file;
    const { space, components, pattern } = color;
    if (pattern === undefined) {
      if (!transfer) return color;
      const read = readSpace(file, space);
      return read ? applyTransfer(transfer, read.toProcess(components)) : color;
    }
    const kind = file.dictionary(pattern);
    if (
      file.number(kind?.get("PatternType")) === SHADING_PATTERN ||
      file.number(kind?.get("PaintType")) === COLORED_TILE
    ) {
      const made = this.#pattern(pattern, transfer);
      return made ? { space, components, pattern: made } : color;
    }
    const base = readSpace(file, file.array(space)?.[1]);
    if (!base || !transfer) return color;
    const shown = applyTransfer(transfer, base.toProcess(components));
    return { space: [Name.of("Pattern"), shown.space], components: shown.components, pattern };
  }

  #pattern(pattern: Value, transfer: Transfer | null): Reference | undefined {
    const file = this.#file;
    const dictionary = file.dictionary(pattern);
    if (file.stream(pattern)) return this.object(pattern, { transfer, fill: BLACK, stroke: BLACK }, new Dictionary());
    if (!transfer) return undefined;
    return this.#once(`pattern ${keyOf(pattern)} ${transfer.key}`, () => {
      const shading = dictionary?.get("Shading");
      const made = shading === undefined ? undefined : this.shading(shading, transfer);
      return made && dictionary?.clone().set("Shading", made);
    });
  }

  object(value: Value, state: Inherited, callers: Dictionary): Reference | undefined {
    const file = this.#file;
    const stream = file.stream(value);
    if (!stream || !(value instanceof Reference)) return undefined;
    const { transfer, fill, stroke } = state;
    if (file.name(stream.dictionary.get("Subtype")) === "Image") {
      if (!transfer) return undefined;
      const decode = () => this.#source.decodeImage(value.number);
      return this.#once(`image ${value.number} ${transfer.key}`, () =>
        transferredImage(file, stream, transfer, decode),
      );
    }
    const resources = file.dictionary(stream.dictionary.get("Resources")) ?? callers;
    if (!(transfer || this.#uses(resources)) || this.#depth >= MAX_DEPTH) return undefined;
    const colors = [fill, stroke].map(
      ({ space, components, pattern }) => `${keyOf(space)} ${components} ${keyOf(pattern ?? null)}`,
    );
    return this.#once(`form ${value.number} ${transfer?.key} ${colors.join(" ")}`, () => {
      const bytes = this.#bytes(stream);
      if (!bytes) return undefined;
      this.#depth++;
      try {
        const content = new TransferredContent(file, resources, this, state);
        const body = plainBody(content.rewrite(bytes));
        const dictionary = stream.dictionary.clone().set("Resources", content.resources);
        for (const key of ["Filter", "DecodeParms", "DL"]) dictionary.delete(key);
        return new PdfStream(dictionary, body);
      } finally {
        this.#depth--;
      }
    });
  }

  inlineImage(
    { operands, data }: ContentOperation,
    bytes: Uint8Array,
    spaces: Dictionary,
    transfer: Transfer,
  ): Reference | undefined {
    const file = this.#file;
    const image = readImage(file, operands[0] as Dictionary, spaces);
    if (!image || !data) return undefined;
    const inline = operands[0] as Dictionary;
    const dictionary = Dictionary.of({
      Type: Name.of("XObject"),
      Subtype: Name.of("Image"),
      Width: image.width,
      Height: image.height,
      BitsPerComponent: image.bits,
      ColorSpace: longSpace(file, inline.get("ColorSpace") ?? inline.get("CS"), spaces),
      Filter: image.filters.map(Name.of),
      DecodeParms: inline.get("DecodeParms") ?? inline.get("DP"),
      Decode: image.decode && [...image.decode],
    });
    const stream = new PdfStream(dictionary, inlineBody(bytes.slice(data.start, data.end), image));
    const made = transferredImage(file, stream, transfer, () => undefined);
    return made && file.add(made);
  }

  shading(value: Value, transfer: Transfer): Reference | undefined {
    return this.#once(`shading ${keyOf(value)} ${transfer.key}`, () => transferredShading(this.#file, value, transfer));
  }

  #once(key: string, make: () => Parameters<PdfFile["add"]>[0] | undefined): Reference | undefined {
    if (this.#made.has(key) || this.#made.size >= MAX_CREATED) return this.#made.get(key);
    // This entry ends the recursion for an object that contains itself, which stays unchanged.
    this.#made.set(key, undefined);
    const object = make();
    const made = object === undefined ? undefined : this.#file.add(object);
    this.#made.set(key, made);
    return made;
  }
}

const keyOf = (value: Value): string => serialize(value, ({ number }) => number);

/** The full names of color spaces, by their abbreviations in inline images (8.9.7, table 94). */
const LONG: Readonly<Record<string, string>> = { G: "DeviceGray", RGB: "DeviceRGB", CMYK: "DeviceCMYK", I: "Indexed" };

function longSpace(file: PdfFile, space: Value | undefined, spaces: Dictionary): Value | undefined {
  const array = file.array(space);
  if (array) return array.map((part) => (part instanceof Name ? longSpace(file, part, spaces)! : part));
  const name = file.name(space);
  if (name === undefined) return space;
  return spaces.get(name) ?? Name.of(LONG[name] ?? name);
}

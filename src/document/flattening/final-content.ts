// Builds the final content of a page: removes transparent operations, makes them opaque or recolors them, and inserts
// images at their positions in the painting order.

import { readOperations } from "../content/content.ts";
import { applyEdits } from "../content/edits.ts";
import { IDENTITY, inverse, type Matrix, multiply } from "../content/matrix.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { serializeNumber } from "../objects/serialize.ts";
import { Dictionary, type PdfStream, type Reference, type Value } from "../objects/values.ts";
import { hidePainting, sliceText, wrapInSaveRestore } from "./edits.ts";
import { imageStream } from "./paint/add-image.ts";
import { NodeEdits } from "./paint/variants.ts";
import type { RegionImage } from "./regions.ts";
import { type NameAllocator, namesOf } from "./resource-names.ts";
import type { ContentNode, InsertionPoint, Paint } from "./scan/content-node.ts";
import type { TextOnly } from "./scan/text-only.ts";

export interface Content {
  readonly bytes: Uint8Array;
  readonly resources: Dictionary;
}

/** The state outside all clips, layers, `q` and marked-content sequences. */
const OUTSIDE = {
  matrix: IDENTITY,
  clip: { outer: undefined },
  layers: undefined,
  saved: 0,
  marked: 0,
  tagStart: undefined,
};

export class FinalContent {
  readonly #file: PdfFile;
  readonly #textOnly: TextOnly;
  readonly #isTagged: boolean;
  readonly #edits = new NodeEdits();
  #pictures = 0;
  readonly #names: NameAllocator;
  /** The objects added to each content stream, by resource name. */
  readonly #objects = new Map<ContentNode, Map<string, Reference>>();

  /**
   * @param isTagged true if the document has a structure tree; inserted images then become artifacts (ISO 32000-1,
   * 14.8.2.2)
   */
  constructor(file: PdfFile, textOnly: TextOnly, isTagged: boolean, names: NameAllocator) {
    this.#file = file;
    this.#textOnly = textOnly;
    this.#isTagged = isTagged;
    this.#names = names;
  }

  /** Removes the painting of an operation. Its text stays searchable. */
  drop(paint: Paint): void {
    const text = paint.kind === "form" ? this.#textOnly.form(paint.object, paint.node.resources) : undefined;
    this.#edits.add(paint.node, hidePainting(paint, text && `/${this.#put(paint.node, text)} Do`));
  }

  /** Replaces a form or an image by an opaque object. */
  replace(paint: Paint, by: Reference): void {
    this.#edits.add(paint.node, [{ start: paint.start, end: paint.end, text: ` /${this.#put(paint.node, by)} Do ` }]);
  }

  /** Changes the color of a fill or a stroke. @param setting operators that set the new color */
  recolor(paint: Paint, setting: string): void {
    this.#wrap(paint, ` ${setting} `, "");
  }

  /** Replaces the color of a fill by images, clipped to the shape of the fill. */
  fillWith(paint: Paint, placed: readonly RegionImage[]): void {
    const shows = placed.flatMap((one) => this.#show(paint.insertion, one) ?? []);
    if (shows.length === 0) {
      this.drop(paint);
      return;
    }
    const show = shows.join(" Q q ");
    const { node, kind, end, operator } = paint;
    if (kind === "text") {
      this.#wrap(paint, " 7 Tr ", ` ${show} `);
      return;
    }
    const clip = operator === "f*" ? "W* n" : "W n";
    this.#edits.add(node, [
      { start: paint.pathStart, end: paint.pathStart, text: " q " },
      { start: end - operator.length, end, text: `${clip} ${show} Q ` },
    ]);
  }

  /** The number of inserted images. */
  get pictureCount(): number {
    return this.#pictures;
  }

  picture(insertion: InsertionPoint, placed: readonly RegionImage[]): void {
    const isArtifact = this.#isTagged && insertion.tagStart === undefined;
    for (const one of placed) {
      const show = this.#show(insertion, one);
      if (show === undefined) continue;
      const text = isArtifact ? `\n/Artifact BMC q ${show} Q EMC\n` : `\nq ${show} Q\n`;
      this.#edits.add(insertion.node, [{ start: insertion.at, end: insertion.at, text }]);
    }
  }

  /** Inserts images on top of the whole content. */
  cover(root: ContentNode, placed: readonly RegionImage[]): void {
    this.#edits.add(root, wrapInSaveRestore(root));
    this.picture({ ...OUTSIDE, node: root, at: root.bytes.length }, placed);
  }

  emit(node: ContentNode): Content {
    const edits = [...this.#edits.of(node)];
    const put = new Map(this.#objects.get(node));
    for (const kid of node.kids) {
      if (!this.#edits.isTouched(kid.node)) continue;
      const name = this.#names.next();
      put.set(name, this.#file.add(this.#form(kid.node)));
      edits.push({ start: kid.start, end: kid.end, text: ` /${name} Do ` });
    }
    const bytes = applyEdits(node.bytes, edits, node.bytes.length);
    return { bytes, resources: this.#resources(node.resources, bytes, put) };
  }

  #form(node: ContentNode): PdfStream {
    const { bytes, resources } = this.emit(node);
    const dictionary = node.form!.dictionary.clone().set("Resources", resources);
    for (const key of ["Filter", "DecodeParms", "Length", "Group"]) dictionary.delete(key);
    return imageStream(dictionary, bytes);
  }

  /** Returns the resources with the added objects. Omits images and forms that the content no longer shows. */
  #resources(original: Dictionary | undefined, bytes: Uint8Array, put: ReadonlyMap<string, Reference>): Dictionary {
    const resources = original?.clone() ?? new Dictionary();
    const objects = namesOf(this.#file, resources, "XObject");
    const used = new Set<string>();
    for (const { operator, operands } of readOperations(bytes)) {
      const name = operator === "Do" ? this.#file.name(operands[0]) : undefined;
      if (name !== undefined) used.add(name);
    }
    const kept = new Dictionary();
    const lends = [...objects].some(([name, value]) => used.has(name) && this.#borrows(value));
    for (const [name, value] of objects) if (lends || used.has(name)) kept.set(name, value);
    for (const [name, reference] of put) kept.set(name, reference);
    if (kept.size > 0) resources.set("XObject", kept);
    else resources.delete("XObject");
    return resources;
  }

  /** Reports whether the value is a form without Resources. Such a form inherits the resources of this content. */
  #borrows(value: Value): boolean {
    const dictionary = this.#file.dictionary(value);
    return dictionary?.has("BBox") === true && !dictionary.has("Resources");
  }

  /** Encloses an operation in `q` and `Q`. Repeats the settings of a text object after the `Q`, which undoes them. */
  #wrap(paint: Paint, before: string, after: string): void {
    const { node, kind, start, pathStart, end, shows, settings } = paint;
    if (kind !== "text") {
      this.#edits.add(node, [
        { start: pathStart, end: pathStart, text: ` q${before}` },
        { start: end, end, text: `${after} Q ` },
      ]);
      return;
    }
    const first = shows[0]!.start;
    this.#edits.add(node, [
      { start, end: start, text: " q " },
      { start: first, end: first, text: before },
      { start: end, end, text: `${after} Q ${sliceText(node.bytes, settings)} ` },
    ]);
  }

  #show(insertion: InsertionPoint, { image, matrix }: RegionImage): string | undefined {
    const back = inverse(insertion.matrix);
    this.#pictures++;
    return back && `${matrixText(multiply(matrix, back))} cm /${this.#put(insertion.node, image)} Do`;
  }

  #put(node: ContentNode, reference: Reference): string {
    const name = this.#names.next();
    const known = this.#objects.get(node) ?? new Map<string, Reference>();
    this.#objects.set(node, known.set(name, reference));
    return name;
  }
}

export const matrixText = (matrix: Matrix) => matrix.map(serializeNumber).join(" ");

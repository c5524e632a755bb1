// Draws forms on top of pages or behind them, and changes nothing else. Supports pages whose content does not close all graphics
// states, text objects or tags; pages that share content or resources; and pages that occur in the document repeatedly.

import { readOperations } from "../../content/content.ts";
import { applyEdits, type Edit } from "../../content/edits.ts";
import { type Matrix, multiply } from "../../content/matrix.ts";
import { PATH_CONSTRUCTION, type ResourceCategory } from "../../content/operators.ts";
import { contentOf } from "../../content/page-content.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { serializeNumber } from "../../objects/serialize.ts";
import { Dictionary, Name, PdfStream, plainBody, Reference, type Value } from "../../objects/values.ts";
import { type PageSize, pageSize, shownSpace } from "../page-size.ts";
import { completePage, insertPages, placesOf } from "../page-tree.ts";
import type { SourcePage } from "../pages.ts";

/**
 * Content streams, the first of which saves the graphics state, and the operators that restore it after the last
 * stream.
 */
interface Enclosed {
  readonly streams: readonly Value[];
  readonly closing: string;
}

/** A page on which forms are drawn. */
interface DrawnPage {
  readonly dictionary: Dictionary;
  readonly space: Matrix;
  readonly resources: Resources;
  /** Content above that of the page, and below it. */
  above: string;
  below: string;
}

/** A new resource dictionary, and its categories that can be changed in place. */
interface Resources {
  readonly reference: Reference;
  readonly dictionary: Dictionary;
  readonly own: Map<ResourceCategory, Dictionary>;
}

/** How a form takes part in the structure and the layers of a document. */
interface Marks {
  /** Identifies the content in the structure tree (ISO 32000-1, 14.7.4.2). @default the form is an artifact */
  readonly tag?: { readonly type: string; readonly id: number } | undefined;
  /** An optional content group or membership dictionary. @default the form belongs to no layer */
  readonly layer?: Reference | undefined;
  /** A graphics state parameter dictionary. @default the initial graphics state */
  readonly state?: Reference | undefined;
  /** True to draw the form below the content of the page. @default false */
  readonly isBehind?: boolean | undefined;
}

/** Entries of a page that determine its size (table 30). */
const SIZE_ENTRIES = new Set(["Type", "MediaBox", "CropBox", "Rotate", "UserUnit"]);

export class Overlay {
  readonly #file: PdfFile;
  /** The pages of the document, each as a separate object, and then the added ones. */
  readonly #pages: SourcePage[];
  /** Number of pages without the added ones. */
  readonly pageCount: number;
  /** The added pages, by the object number of the page of the document that they follow. */
  readonly #added = new Map<number, Reference[]>();
  /** The resource dictionary of all added pages. */
  #addedResources: Reference | undefined;
  readonly #drawn = new Map<number, DrawnPage>();
  /**
   * The new resource dictionaries, by object number of the original dictionary, or by the original itself if it is
   * direct.
   */
  readonly #resources = new Map<number | Dictionary, Resources>();
  /** The enclosed contents, by the object numbers of their streams. */
  readonly #enclosed = new Map<string, Enclosed>();
  /** Added streams, by their content. Pages with the same marks share them. */
  readonly #streams = new Map<string, Reference>();

  /** @throws EngineFailure `damaged` if there is no page, `too-large` if there are too many pages for the memory */
  constructor(file: PdfFile) {
    this.#file = file;
    this.#pages = [...placesOf(file)];
    this.pageCount = this.#pages.length;
  }

  get pages(): readonly SourcePage[] {
    return this.#pages;
  }

  /** Returns the size of a page as it is shown. */
  sizeOf(number: number): PageSize {
    return pageSize(this.#file, this.pages[number - 1]!);
  }

  /**
   * Adds an empty page of the same size after a page of the document, and after the pages added there before.
   * @param number page number in the document as it was, from 1
   * @returns the number by which this class knows the new page
   */
  addPage(number: number): number {
    const file = this.#file;
    const { reference } = this.pages[number - 1]!;
    const page = completePage(file, this.pages[number - 1]!);
    page.retain((key) => SIZE_ENTRIES.has(key));
    this.#addedResources ??= file.add(new Dictionary());
    const made = file.add(page.set("Resources", this.#addedResources));
    this.#added.set(reference.number, [...(this.#added.get(reference.number) ?? []), made]);
    return this.#pages.push({ reference: made, index: this.pages.length, inherited: {} });
  }

  /**
   * Draws a form above everything drawn on the page so far, or above everything drawn behind it.
   * @param number page number, from 1
   * @param matrix maps the form to the displayed page, in points from its lower left corner
   */
  draw(number: number, form: Reference, matrix: Matrix, marks: Marks = {}): void {
    this.paint(number, form, multiply(matrix, this.#page(number).space), marks);
  }

  /**
   * Like {@link draw}, in another space.
   * @param matrix maps the form to default user space
   */
  paint(number: number, form: Reference, matrix: Matrix, { tag, layer, state, isBehind }: Marks = {}): void {
    const drawn = this.#page(number);
    const nameOf = (category: ResourceCategory, object: Reference, prefix: string) =>
      nameIn(this.#categoryOf(drawn.resources, category), object, prefix);
    const marks = [
      tag ? `/${tag.type} <</MCID ${tag.id}>> BDC` : "/Artifact BMC",
      ...(layer ? [`/OC /${nameOf("Properties", layer, "Layer")} BDC`] : []),
    ];
    const placed = matrix.map(serializeNumber).join(" ");
    const set = state ? `/${nameOf("ExtGState", state, "State")} gs ` : "";
    const painted = `q ${set}${placed} cm /${nameOf("XObject", form, "Form")} Do Q`;
    drawn[isBehind ? "below" : "above"] += `${marks.join(" ")} ${painted}${" EMC".repeat(marks.length)}\n`;
  }

  /**
   * Writes content above everything drawn on the page so far. All of it must be marked (14.6).
   * @param content operators
   * @param matrix maps the content to the displayed page, in points from its lower left corner; @default unchanged
   */
  write(number: number, content: string, matrix: Matrix = [1, 0, 0, 1, 0, 0]): void {
    const drawn = this.#page(number);
    const placed = multiply(matrix, drawn.space).map(serializeNumber).join(" ");
    drawn.above += `q ${placed} cm\n${content}Q\n`;
  }

  /** Returns the name of a resource in the content of a page. */
  nameOf(number: number, category: ResourceCategory, object: Reference): string {
    return nameIn(this.#categoryOf(this.#page(number).resources, category), object, category);
  }

  /** Writes the changed pages to the file. */
  finish(): void {
    for (const [number, { dictionary, above, below }] of this.#drawn) {
      const contents = dictionary.get("Contents");
      const { streams, closing } =
        above === "" ? { streams: this.#ownStreams(contents), closing: undefined } : this.#enclose(contents);
      const behind = below === "" ? [] : [this.#stream(below)];
      const upon = closing === undefined ? [] : [this.#stream(`\n${closing}\n${above}`)];
      dictionary.set("Contents", [...behind, ...streams, ...upon]);
      this.#file.put(this.pages[number - 1]!.reference, dictionary);
    }
    if (this.#added.size > 0) insertPages(this.#file, this.#added);
  }

  #stream(content: string): Reference {
    const known = this.#streams.get(content) ?? this.#file.add(streamOf(content));
    this.#streams.set(content, known);
    return known;
  }

  #page(number: number): DrawnPage {
    return this.#drawn.get(number) ?? this.#begin(number);
  }

  #begin(number: number): DrawnPage {
    const dictionary = completePage(this.#file, this.pages[number - 1]!);
    const resources = this.#resourcesOf(dictionary.get("Resources"));
    dictionary.set("Resources", resources.reference);
    const drawn = { dictionary, space: shownSpace(this.#file, dictionary), resources, above: "", below: "" };
    this.#drawn.set(number, drawn);
    return drawn;
  }

  /** Returns a copy of a resource dictionary. All pages with the same original share the copy. */
  #resourcesOf(value: Value | undefined): Resources {
    const before = this.#file.dictionary(value) ?? new Dictionary();
    const key = value instanceof Reference ? value.number : before;
    const known = this.#resources.get(key);
    if (known) return known;
    const dictionary = before.clone();
    const made = { reference: this.#file.add(dictionary), dictionary, own: new Map() };
    this.#resources.set(key, made);
    return made;
  }

  #categoryOf({ dictionary, own }: Resources, category: ResourceCategory): Dictionary {
    const known = own.get(category);
    if (known) return known;
    const copy = this.#file.dictionary(dictionary.get(category))?.clone() ?? new Dictionary();
    own.set(category, copy);
    dictionary.set(category, copy);
    return copy;
  }

  #ownStreams(contents: Value | undefined): readonly Value[] {
    return (this.#file.array(contents) ?? [contents ?? null]).filter((part) => this.#file.stream(part));
  }

  #enclose(contents: Value | undefined): Enclosed {
    const own = this.#ownStreams(contents);
    const key = own.map((part) => (part as Reference).number).join();
    const known = this.#enclosed.get(key);
    if (known) return known;
    const bytes = contentOf(this.#file, contents);
    const { closing, excess, end } = balanceOf(bytes);
    const isSound = excess.length === 0 && bytes.subarray(end).every((byte) => byte <= 0x20);
    const streams = isSound ? own : [this.#file.add(streamOf(applyEdits(bytes, excess, end)))];
    const enclosed = { streams: [this.#stream("q\n"), ...streams], closing };
    this.#enclosed.set(key, enclosed);
    return enclosed;
  }
}

/**
 * Returns `closing`: the operators that close everything that the content leaves open. `excess`: edits that remove each
 * `Q` without a matching `q`, which viewers ignore. `end`: the end of the last operator.
 */
function balanceOf(bytes: Uint8Array) {
  const excess: Edit[] = [];
  const open = { states: 0, tags: 0, text: false, path: false };
  let last = 0;
  for (const { operator, start, end } of readOperations(bytes)) {
    last = end;
    open.path = PATH_CONSTRUCTION.has(operator) || operator === "W" || operator === "W*";
    if (operator === "q") open.states++;
    else if (operator === "Q" && open.states > 0) open.states--;
    else if (operator === "Q") excess.push({ start, end, text: "" });
    else if (operator === "BT") open.text = true;
    else if (operator === "ET") open.text = false;
    else if (operator === "BMC" || operator === "BDC") open.tags++;
    else if (operator === "EMC") open.tags = Math.max(0, open.tags - 1);
  }
  const ends = [open.path ? "n " : "", open.text ? "ET " : "", "EMC ".repeat(open.tags), "Q ".repeat(open.states)];
  return { closing: `${ends.join("")}Q`, excess, end: last };
}

/** Returns the resource name of an object. Adds the object to the resources if it is missing. */
function nameIn(resources: Dictionary, { number }: Reference, prefix: string): string {
  for (let name = `${prefix}${number}`; ; name += "x") {
    const held = resources.get(name);
    if (held instanceof Reference && held.number === number) return name;
    if (held !== undefined) continue;
    resources.set(name, new Reference(number));
    return name;
  }
}

const streamOf = (content: string | Uint8Array) =>
  new PdfStream(new Dictionary(), plainBody(typeof content === "string" ? Buffer.from(content, "latin1") : content));

/** Adds a graphics state that draws a form with an opacity. */
export const opacityState = (file: PdfFile, opacity: number): Reference =>
  file.add(Dictionary.of({ Type: Name.of("ExtGState"), CA: opacity, ca: opacity }));

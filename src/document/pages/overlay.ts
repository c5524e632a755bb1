// Draws forms on top of pages, and changes nothing else. Supports pages whose content does not close all graphics
// states, text objects or tags; pages that share content or resources; and pages that occur in the document repeatedly.

import { readOperations } from "../content/content.ts";
import { applyEdits, type Edit } from "../content/edits.ts";
import { type Matrix, multiply } from "../content/matrix.ts";
import { PATH_CONSTRUCTION } from "../content/operators.ts";
import { contentOf } from "../content/page-content.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { serializeNumber } from "../objects/serialize.ts";
import { Dictionary, PdfStream, plainBody, Reference, type Value } from "../objects/values.ts";
import { shownSpace } from "./page-size.ts";
import { completePage, placesOf } from "./page-tree.ts";
import type { SourcePage } from "./pages.ts";

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
  readonly forms: Dictionary;
  content: string;
}

export class Overlay {
  readonly #file: PdfFile;
  readonly #places: readonly SourcePage[];
  readonly #drawn = new Map<number, DrawnPage>();
  /**
   * The new resource dictionaries, by object number of the original dictionary, or by the original itself if it is
   * direct.
   */
  readonly #resources = new Map<number | Dictionary, { readonly reference: Reference; readonly forms: Dictionary }>();
  /** The enclosed contents, by the object numbers of their streams. */
  readonly #enclosed = new Map<string, Enclosed>();
  #opening: Reference | undefined;

  /** @throws EngineFailure `damaged` if there is no page, `too-large` if there are too many pages for the memory */
  constructor(file: PdfFile) {
    this.#file = file;
    this.#places = placesOf(file);
  }

  get pageCount(): number {
    return this.#places.length;
  }

  /**
   * Draws a form as an artifact (ISO 32000-1, 14.8.2.2), above everything drawn on the page so far.
   * @param number page number, from 1
   * @param matrix maps the form to the displayed page, in points from its lower left corner
   */
  draw(number: number, form: Reference, matrix: Matrix): void {
    const drawn = this.#drawn.get(number) ?? this.#begin(number);
    const name = nameIn(drawn.forms, form);
    const placed = multiply(matrix, drawn.space).map(serializeNumber).join(" ");
    drawn.content += `/Artifact BMC q ${placed} cm /${name} Do Q EMC\n`;
  }

  /** Writes the changed pages to the file. */
  finish(): void {
    for (const [number, { dictionary, content }] of this.#drawn) {
      const { streams, closing } = this.#enclose(dictionary.get("Contents"));
      const above = this.#file.add(streamOf(`\n${closing}\n${content}`));
      dictionary.set("Contents", [...streams, above]);
      this.#file.put(this.#places[number - 1]!.reference, dictionary);
    }
  }

  #begin(number: number): DrawnPage {
    const dictionary = completePage(this.#file, this.#places[number - 1]!);
    const { reference, forms } = this.#resourcesOf(dictionary.get("Resources"));
    dictionary.set("Resources", reference);
    const drawn = { dictionary, space: shownSpace(this.#file, dictionary), forms, content: "" };
    this.#drawn.set(number, drawn);
    return drawn;
  }

  /** Returns a copy of a resource dictionary. All pages with the same original share the copy. */
  #resourcesOf(value: Value | undefined) {
    const before = this.#file.dictionary(value) ?? new Dictionary();
    const key = value instanceof Reference ? value.number : before;
    const forms = this.#file.dictionary(before.get("XObject"))?.clone() ?? new Dictionary();
    const made = this.#resources.get(key) ?? {
      reference: this.#file.add(before.clone().set("XObject", forms)),
      forms,
    };
    this.#resources.set(key, made);
    return made;
  }

  #enclose(contents: Value | undefined): Enclosed {
    const own = (this.#file.array(contents) ?? [contents ?? null]).filter((part) => this.#file.stream(part));
    const key = own.map((part) => (part as Reference).number).join();
    const known = this.#enclosed.get(key);
    if (known) return known;
    const bytes = contentOf(this.#file, contents);
    const { closing, excess, end } = balanceOf(bytes);
    const isSound = excess.length === 0 && bytes.subarray(end).every((byte) => byte <= 0x20);
    const streams = isSound ? own : [this.#file.add(streamOf(applyEdits(bytes, excess, end)))];
    this.#opening ??= this.#file.add(streamOf("q\n"));
    const enclosed = { streams: [this.#opening, ...streams], closing };
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

/** Returns the resource name of a form. Adds the form to the resources if it is missing. */
function nameIn(forms: Dictionary, form: Reference): string {
  for (let name = `Form${form.number}`; ; name += "x") {
    const held = forms.get(name);
    if (held instanceof Reference && held.number === form.number) return name;
    if (held !== undefined) continue;
    forms.set(name, form);
    return name;
  }
}

const streamOf = (content: string | Uint8Array) =>
  new PdfStream(new Dictionary(), plainBody(typeof content === "string" ? Buffer.from(content, "latin1") : content));

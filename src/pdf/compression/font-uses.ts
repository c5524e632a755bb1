// Which codes a file shows in which font, wherever text is drawn: on pages, in forms, patterns, glyphs, soft masks and appearances of
// every state, hidden layers included (ISO 32000-1, 9.4.3). Knows nothing of what fonts hold.
import { inlineDictionary, skipInlineData } from "../content.ts";
import { Lexer } from "../lexer.ts";
import { readPages } from "../pages.ts";
import type { PdfFile } from "../pdf-file.ts";
import { Dictionary, PdfStream, PdfString, Reference, type Value } from "../values.ts";

export interface FontUses {
  /** Strings shown, by the font's object number. */
  readonly shown: ReadonlyMap<number, ShownCodes>;
  /** Fonts of forms: what will be typed is not known. */
  readonly kept: ReadonlySet<number>;
}

/** One byte and two bytes at a time, as it is the font that says which. */
export interface ShownCodes {
  readonly bytes: Set<number>;
  readonly pairs: Set<number>;
}

const MAX_CONTENT_BYTES = 64 * 2 ** 20;
const MAX_CONTENTS = 200_000;
const MAX_SAVED = 512;
const SHOWING = new Set(["Tj", "TJ", "'", '"']);

interface Content {
  readonly streams: readonly Reference[];
  readonly resources: Dictionary | undefined;
  /** Tells contents with the same streams apart. */
  readonly key: string;
}

/** @returns undefined where it is not certain that all text was found */
export function findFontUses(file: PdfFile): FontUses | undefined {
  const walk = new Walk(file);
  return walk.run() ? walk : undefined;
}

class Walk implements FontUses {
  readonly shown = new Map<number, ShownCodes>();
  readonly kept = new Set<number>();
  readonly #file: PdfFile;
  readonly #seen = new Set<string>();
  readonly #waiting: Content[] = [];
  #isCertain = true;

  constructor(file: PdfFile) {
    this.#file = file;
  }

  run(): boolean {
    const file = this.#file;
    this.#keepFormFonts();
    for (const { reference, inherited } of readPages(file).pages) {
      const page = file.dictionary(reference);
      if (!page) continue;
      const contents = page.get("Contents");
      const streams = (file.array(contents) ?? [contents]).filter((value) => value instanceof Reference);
      const resources = file.dictionary(page.get("Resources") ?? inherited.Resources);
      this.#add({ streams, resources, key: `page ${reference.number}` });
      for (const annotation of file.array(page.get("Annots")) ?? []) this.#addAppearances(annotation, resources);
      if (!this.#drain()) return false;
    }
    return this.#isCertain;
  }

  #drain(): boolean {
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) {
      if (this.#seen.size > MAX_CONTENTS) return false;
      this.#read(next);
      this.#addResources(next);
    }
    return this.#isCertain;
  }

  #keepFormFonts(): void {
    const file = this.#file;
    const form = file.dictionary(file.catalog.get("AcroForm"));
    const fonts = file.dictionary(file.dictionary(form?.get("DR"))?.get("Font"));
    for (const font of fonts?.values() ?? []) if (font instanceof Reference) this.kept.add(font.number);
  }

  #add(content: Content): void {
    if (content.streams.length === 0 || this.#seen.has(content.key)) return;
    this.#seen.add(content.key);
    this.#waiting.push(content);
  }

  #addForm(value: Value | undefined, { resources, key }: Pick<Content, "resources" | "key">): void {
    const stream = this.#file.stream(value);
    if (!stream || !(value instanceof Reference)) return;
    const own = this.#file.dictionary(stream.dictionary.get("Resources"));
    const content = own
      ? { resources: own, key: `form ${value.number}` }
      : { resources, key: `form ${value.number} in ${key.slice(0, 200)}` };
    this.#add({ streams: [value], ...content });
  }

  #addResources(content: Content): void {
    const file = this.#file;
    const of = (category: string) => file.dictionary(content.resources?.get(category))?.values() ?? [];
    for (const value of of("XObject")) {
      const subtype = file.name(file.dictionary(value)?.get("Subtype"));
      if (subtype !== "Image") this.#addForm(value, content);
    }
    for (const value of of("Pattern")) this.#addForm(value, content);
    for (const value of of("ExtGState")) {
      const state = file.dictionary(value);
      // Text in it is shown without an operator that names the font.
      if (state?.has("Font")) this.#isCertain = false;
      this.#addForm(file.dictionary(state?.get("SMask"))?.get("G"), content);
    }
    for (const value of of("Font")) {
      const font = file.dictionary(value);
      if (!font || file.name(font.get("Subtype")) !== "Type3") continue;
      const resources = file.dictionary(font.get("Resources")) ?? content.resources;
      const key = value instanceof Reference ? `font ${value.number}` : content.key;
      for (const glyph of file.dictionary(font.get("CharProcs"))?.values() ?? []) {
        this.#addForm(glyph, { resources, key });
      }
    }
  }

  #addAppearances(annotation: Value, resources: Dictionary | undefined): void {
    const file = this.#file;
    for (const entry of file.dictionary(file.dictionary(annotation)?.get("AP"))?.values() ?? []) {
      const states = file.resolve(entry);
      const forms = states instanceof PdfStream ? [entry] : states instanceof Dictionary ? states.values() : [];
      for (const form of forms) this.#addForm(form, { resources, key: "appearance" });
    }
  }

  #read(content: Content): void {
    const fonts = this.#file.dictionary(content.resources?.get("Font"));
    const lexer = new Lexer(this.#bytes(content.streams));
    const saved: (Value | undefined)[] = [];
    let font: Value | undefined;
    let strings: PdfString[] = [];
    let name = "";
    while (lexer.next() !== "end") {
      if (lexer.kind === "string" || lexer.kind === "hex") {
        const value = lexer.value();
        if (value instanceof PdfString) strings.push(value);
      } else if (lexer.kind === "name") {
        name = lexer.nameText;
      } else if (lexer.kind === "keyword") {
        const operator = lexer.text;
        if (operator === "BI") skipInlineData(lexer, inlineDictionary(lexer));
        else if (operator === "q" && saved.length < MAX_SAVED) saved.push(font);
        else if (operator === "Q") font = saved.length > 0 ? saved.pop() : font;
        else if (operator === "Tf") font = fonts?.get(name) ?? null;
        else if (SHOWING.has(operator)) this.#show(font, strings);
        strings = [];
      }
    }
  }

  #bytes(streams: readonly Reference[]): Uint8Array {
    try {
      const parts = streams.map((stream) => this.#file.stream(stream)?.body.decoded(MAX_CONTENT_BYTES));
      return Buffer.concat(parts.flatMap((part) => (part ? [part, Buffer.from("\n")] : [])));
    } catch {
      // Other readers may get something out of it.
      this.#isCertain = false;
      return new Uint8Array(0);
    }
  }

  #show(font: Value | undefined, strings: readonly PdfString[]): void {
    if (strings.length === 0) return;
    // A form can show text in the font that was set where it is drawn (8.10.1).
    // And a font that is no object of its own cannot be told from others.
    if (font === undefined || font instanceof Dictionary) this.#isCertain = false;
    if (!(font instanceof Reference)) return;
    const known = this.shown.get(font.number);
    const codes = known ?? { bytes: new Set<number>(), pairs: new Set<number>() };
    if (!known) this.shown.set(font.number, codes);
    for (const { latin1 } of strings) {
      for (let at = 0; at < latin1.length; at++) codes.bytes.add(latin1.charCodeAt(at));
      for (let at = 0; at + 1 < latin1.length; at += 2) {
        codes.pairs.add((latin1.charCodeAt(at) << 8) | latin1.charCodeAt(at + 1));
      }
    }
  }
}

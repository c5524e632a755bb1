// Visits all text of a file (ISO 32000-1, 9.4.3): on pages, and in forms, patterns, Type 3 glyphs, soft masks, hidden
// layers and the appearances of every state.

import { inlineDictionary, skipInlineData } from "../content/content.ts";
import { TEXT_SHOWING } from "../content/operators.ts";
import { EngineFailure } from "../contract/failure.ts";
import { Lexer } from "../objects/parsing/lexer.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, PdfStream, PdfString, Reference, type Value } from "../objects/values.ts";
import { readPages } from "../pages/pages.ts";

/**
 * Receives the strings that one operator shows.
 * @param font value of the font in the resources; undefined if no font was set
 * @param mode text rendering mode (table 106)
 */
export type ShowText = (font: Value | undefined, strings: readonly PdfString[], mode: number) => void;

const MAX_CONTENT_BYTES = 64 * 2 ** 20;
const MAX_CONTENTS = 200_000;
const MAX_SAVED = 512;
/** Maximum depth of nested forms that inherit a font. */
const MAX_HANDED_ON = 10;
/** Maximum number of strings stored for forms that inherit their font from the content that draws them. */
const MAX_KEPT_STRINGS = 100_000;

interface Content {
  readonly streams: readonly Reference[];
  readonly resources: Dictionary | undefined;
  /** Identifies contents with the same streams. */
  readonly key: string;
  /** Key of the content to which the resources belong. */
  readonly owner: string;
}

/** Text that a form shows before it sets a font (8.10.1), and the fonts that the form inherits. */
interface Handed {
  readonly strings: { readonly strings: readonly PdfString[]; readonly mode: number }[];
  readonly fonts: Set<Value>;
  /** Forms that draw this form before they set a font, by object number. */
  readonly drawers: Set<number>;
}

/**
 * @returns false if some text might have been missed, or the font of some text is uncertain
 * @throws EngineFailure if the pages cannot be read; `too-complex` if there are too many contents
 */
export function walkShownText(file: PdfFile, show: ShowText): boolean {
  return new Walk(file, show).run();
}

/** Returns the object numbers of the fonts for filling in form fields (12.7.2). */
export function formFonts(file: PdfFile): Set<number> {
  return new Set(fontsOfForm(file).flatMap((font) => (font instanceof Reference ? [font.number] : [])));
}

/** Returns the fonts for filling in form fields that are direct objects. */
export function directFormFonts(file: PdfFile): Dictionary[] {
  return fontsOfForm(file).filter((font) => font instanceof Dictionary);
}

function fontsOfForm(file: PdfFile): readonly Value[] {
  const form = file.dictionary(file.catalog.get("AcroForm"));
  return file.dictionary(file.dictionary(form?.get("DR"))?.get("Font"))?.values() ?? [];
}

class Walk {
  readonly #file: PdfFile;
  readonly #show: ShowText;
  readonly #seen = new Set<string>();
  readonly #waiting: Content[] = [];
  /**
   * Owners for which a resource dictionary was examined, by their keys. Many forms use the resources of their page,
   * which are examined only once.
   */
  readonly #owners = new WeakMap<Dictionary, Set<string>>();
  /** Text of forms and the fonts that they inherit, by object number of the form. */
  readonly #handed = new Map<number, Handed>();
  #kept = 0;
  #isCertain = true;

  constructor(file: PdfFile, show: ShowText) {
    this.#file = file;
    this.#show = show;
  }

  run(): boolean {
    const file = this.#file;
    for (const { reference, inherited } of readPages(file).pages) {
      const page = file.dictionary(reference);
      if (!page) continue;
      const contents = page.get("Contents");
      const streams = (file.array(contents) ?? [contents]).filter((value) => value instanceof Reference);
      const resources = file.dictionary(page.get("Resources") ?? inherited.Resources);
      const key = `page ${reference.number}`;
      this.#add({ streams, resources, key, owner: key });
      for (const annotation of file.array(page.get("Annots")) ?? []) this.#addAppearances(annotation, resources, key);
      this.#drain();
    }
    this.#handOn();
    return this.#isCertain;
  }

  #drain(): void {
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) {
      if (this.#seen.size > MAX_CONTENTS) throw new EngineFailure("too-complex", "content streams without end");
      this.#read(next);
      this.#addResources(next);
    }
  }

  #add(content: Content): void {
    if (content.streams.length === 0 || this.#seen.has(content.key)) return;
    this.#seen.add(content.key);
    this.#waiting.push(content);
  }

  #addForm(value: Value | undefined, { resources, owner }: Pick<Content, "resources" | "owner">): void {
    const stream = this.#file.stream(value);
    if (!stream || !(value instanceof Reference)) return;
    const own = this.#file.dictionary(stream.dictionary.get("Resources"));
    const key = own ? `form ${value.number}` : `form ${value.number} in ${owner}`;
    this.#add({ streams: [value], resources: own ?? resources, key, owner: own ? key : owner });
  }

  #addResources(content: Content): void {
    const { resources, owner } = content;
    if (!resources || this.#owners.get(resources)?.has(owner)) return;
    this.#owners.set(resources, (this.#owners.get(resources) ?? new Set()).add(owner));
    const file = this.#file;
    const of = (category: string) => file.dictionary(resources.get(category))?.values() ?? [];
    for (const value of of("XObject")) {
      const subtype = file.name(file.dictionary(value)?.get("Subtype"));
      if (subtype !== "Image") this.#addForm(value, content);
    }
    for (const value of of("Pattern")) this.#addForm(value, content);
    for (const value of of("ExtGState")) {
      const state = file.dictionary(value);
      this.#addForm(file.dictionary(state?.get("SMask"))?.get("G"), content);
    }
    for (const value of of("Font")) {
      const font = file.dictionary(value);
      if (!font || file.name(font.get("Subtype")) !== "Type3") continue;
      const own = file.dictionary(font.get("Resources"));
      const owner = own && value instanceof Reference ? `font ${value.number}` : content.owner;
      for (const glyph of file.dictionary(font.get("CharProcs"))?.values() ?? []) {
        this.#addForm(glyph, { resources: own ?? resources, owner });
      }
    }
  }

  #addAppearances(annotation: Value, resources: Dictionary | undefined, owner: string): void {
    const file = this.#file;
    for (const entry of file.dictionary(file.dictionary(annotation)?.get("AP"))?.values() ?? []) {
      const states = file.resolve(entry);
      const forms = states instanceof PdfStream ? [entry] : states instanceof Dictionary ? states.values() : [];
      for (const form of forms) this.#addForm(form, { resources, owner });
    }
  }

  #read(content: Content): void {
    const file = this.#file;
    const resource = (category: string, name: string) => file.dictionary(content.resources?.get(category))?.get(name);
    const fonts = file.dictionary(content.resources?.get("Font"));
    const form = content.streams[0]!.number;
    const lexer = new Lexer(this.#bytes(content.streams));
    const saved: { readonly font: Value | undefined; readonly mode: number }[] = [];
    let font: Value | undefined;
    let mode = 0;
    let strings: PdfString[] = [];
    let name = "";
    let number = 0;
    while (lexer.next() !== "end") {
      if (lexer.kind === "string" || lexer.kind === "hex") {
        const value = lexer.value();
        if (value instanceof PdfString) strings.push(value);
      } else if (lexer.kind === "name") {
        name = lexer.nameText;
      } else if (lexer.kind === "number") {
        number = Number.parseFloat(lexer.text) || 0;
      } else if (lexer.kind === "keyword") {
        const operator = lexer.text;
        if (operator === "BI") skipInlineData(lexer, inlineDictionary(lexer));
        else if (operator === "q" && saved.length < MAX_SAVED) saved.push({ font, mode });
        else if (operator === "Q") ({ font, mode } = saved.pop() ?? { font, mode });
        else if (operator === "Tf") font = fonts?.get(name) ?? null;
        else if (operator === "Tr") mode = number;
        else if (operator === "gs") {
          const set = file.array(file.dictionary(resource("ExtGState", name))?.get("Font"))?.[0];
          if (set !== undefined) font = set;
        } else if (operator === "Do") this.#draw(resource("XObject", name), font, form);
        else if (TEXT_SHOWING.has(operator) && strings.length > 0) this.#shows(font, strings, mode, form);
        strings = [];
      }
    }
  }

  #bytes(streams: readonly Reference[]): Uint8Array {
    try {
      const parts = streams.map((stream) => this.#file.stream(stream)?.body.decoded(MAX_CONTENT_BYTES));
      return Buffer.concat(parts.flatMap((part) => (part ? [part, Buffer.from("\n")] : [])));
    } catch {
      // Other readers might decode more of the stream, and show more text.
      this.#isCertain = false;
      return new Uint8Array(0);
    }
  }

  #shows(font: Value | undefined, strings: readonly PdfString[], mode: number, form: number): void {
    // A direct font dictionary has no object number that identifies it.
    if (font === undefined || font instanceof Dictionary) this.#isCertain = false;
    if (font !== undefined) this.#show(font, strings, mode);
    else if (this.#kept++ < MAX_KEPT_STRINGS) this.#handedTo(form).strings.push({ strings, mode });
  }

  #draw(drawn: Value | undefined, font: Value | undefined, drawer: number): void {
    if (!(drawn instanceof Reference) || this.#handed.size > MAX_CONTENTS) return;
    const handed = this.#handedTo(drawn.number);
    if (font === undefined) handed.drawers.add(drawer);
    else if (font !== null) handed.fonts.add(font);
  }

  #handedTo(form: number): Handed {
    const known = this.#handed.get(form);
    if (known) return known;
    const handed: Handed = { strings: [], fonts: new Set(), drawers: new Set() };
    this.#handed.set(form, handed);
    return handed;
  }

  #handOn(): void {
    for (const handed of this.#handed.values()) {
      if (handed.strings.length === 0) continue;
      const fonts = new Set(handed.fonts);
      const drawers = new Set(handed.drawers);
      for (const drawer of drawers) {
        if (drawers.size > MAX_HANDED_ON) break;
        for (const font of this.#handed.get(drawer)?.fonts ?? []) fonts.add(font);
        for (const next of this.#handed.get(drawer)?.drawers ?? []) drawers.add(next);
      }
      for (const font of fonts) for (const { strings, mode } of handed.strings) this.#show(font, strings, mode);
    }
  }
}

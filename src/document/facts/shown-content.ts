// Finds fonts, transparency, images and text on the pages of a document.

import { readOperations } from "../content/content.ts";
import { TEXT_SHOWING } from "../content/operators.ts";
import { decodeContent } from "../content/page-content.ts";
import { TransparencyFinder } from "../flattening/scan/transparency.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, type PdfStream, Reference, type Value } from "../objects/values.ts";
import { pageDictionary, type SourcePage } from "../pages/pages.ts";
import { nameText } from "./name-text.ts";

/** Approximate memory per visited object. */
const VISIT_BYTES = 40;
const PAGES_AT_ONCE = 100;
/** Approximate memory per listed font. */
const FONT_BYTES = 200;

/** A document whose pages are read in order. Memory is freed between batches of pages. */
export interface PageSource {
  readonly file: PdfFile;
  readonly pages: readonly SourcePage[];
  readonly signal: AbortSignal;
}

export async function* pagesOf({ file, pages, signal }: PageSource): AsyncGenerator<Dictionary> {
  for (const page of pages) {
    if (page.index % PAGES_AT_ONCE === 0) {
      signal.throwIfAborted();
      await file.relieve();
    }
    yield pageDictionary(file, page);
  }
}

/** Tracks visited references, so that each object is visited once. */
class Visits {
  readonly #file: PdfFile;
  readonly #seen = new Set<number>();

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** @returns false for a reference that was visited before */
  take(value: Value | undefined): boolean {
    if (!(value instanceof Reference)) return true;
    if (this.#seen.has(value.number)) return false;
    this.#file.budget.charge(VISIT_BYTES);
    this.#seen.add(value.number);
    return true;
  }
}

/** Returns the appearance streams that a page's annotations show (ISO 32000-1, 12.5.5). */
function appearancesOf(file: PdfFile, page: Dictionary): Value[] {
  return (file.array(page.get("Annots")) ?? []).flatMap((value) => {
    const annotation = file.dictionary(value);
    const normal = file.dictionary(annotation?.get("AP"))?.get("N");
    const object = file.resolve(normal);
    const shown = object instanceof Dictionary ? object.get(file.name(annotation?.get("AS")) ?? "") : normal;
    return shown === undefined ? [] : [shown];
  });
}

/** Yields the fonts in the resources of pages, forms, patterns, Type 3 glyphs and appearances, each once. */
async function* fontsOf(source: PageSource): AsyncGenerator<Dictionary> {
  const { file } = source;
  const visits = new Visits(file);
  for await (const page of pagesOf(source)) {
    const waiting = [page.get("Resources"), ...appearancesOf(file, page).map((value) => resourcesOf(file, value))];
    while (waiting.length > 0) {
      const next = waiting.pop();
      const resources = visits.take(next) ? file.dictionary(next) : undefined;
      if (!resources) continue;
      for (const font of file.dictionary(resources.get("Font"))?.values() ?? []) {
        const dictionary = visits.take(font) ? file.dictionary(font) : undefined;
        if (!dictionary) continue;
        yield dictionary;
        waiting.push(dictionary.get("Resources"));
      }
      for (const category of ["XObject", "Pattern"]) {
        for (const object of file.dictionary(resources.get(category))?.values() ?? []) {
          if (visits.take(object)) waiting.push(resourcesOf(file, object));
        }
      }
    }
  }
}

/** Reports whether the document contains embedded fonts, and fonts that are not embedded. */
export async function findFontKinds(source: PageSource): Promise<{ isEmbedded: boolean; isNonembedded: boolean }> {
  const found = { isEmbedded: false, isNonembedded: false };
  for await (const font of fontsOf(source)) {
    found[isEmbedded(source.file, font) ? "isEmbedded" : "isNonembedded"] = true;
    if (found.isEmbedded && found.isNonembedded) break;
  }
  return found;
}

export interface FontFact {
  readonly name: string;
  /** The Subtype of the font, or of the descendant of a Type 0 font. */
  readonly type: string;
  readonly embedded: boolean;
  readonly subset: boolean;
}

export async function listFonts(source: PageSource): Promise<readonly FontFact[]> {
  const { file } = source;
  const found: FontFact[] = [];
  for await (const font of fontsOf(source)) {
    const descendant = file.dictionary(file.array(font.get("DescendantFonts"))?.[0]);
    const name = nameText(file.name(font.get("BaseFont")) ?? file.name(font.get("Name")) ?? "");
    const type = file.name((descendant ?? font).get("Subtype")) ?? "";
    file.budget.charge(FONT_BYTES);
    found.push({ name, type, embedded: isEmbedded(file, font), subset: /^[A-Z]{6}\+/.test(name) });
  }
  return found;
}

const resourcesOf = (file: PdfFile, object: Value) => file.dictionary(object)?.get("Resources");

/**
 * A Type 3 font counts as embedded: its glyphs are content streams (ISO 32000-1, 9.6.5). A Type 0 font has its
 * descriptor in its descendant font.
 */
function isEmbedded(file: PdfFile, font: Dictionary): boolean {
  if (file.name(font.get("Subtype")) === "Type3") return true;
  const descendant = file.dictionary(file.array(font.get("DescendantFonts"))?.[0]);
  const descriptor = file.dictionary((descendant ?? font).get("FontDescriptor"));
  return ["FontFile", "FontFile2", "FontFile3"].some((key) => file.stream(descriptor?.get(key)) !== undefined);
}

/** Reports whether a page or an appearance might use transparency. */
export async function findTransparency(source: PageSource): Promise<boolean> {
  const { file } = source;
  const finder = new TransparencyFinder(file);
  for await (const page of pagesOf(source)) {
    if (finder.inResources(page.get("Resources"))) return true;
    if (appearancesOf(file, page).some((value) => finder.inObject(value))) return true;
  }
  return false;
}

/** Summary of a content stream, independent of its resources. */
interface Drawing {
  hasText: boolean;
  hasImages: boolean;
  /** Resource names of the XObjects that the content paints. */
  readonly names: Set<string>;
}

/** Reports whether the pages contain images but no text, not even invisible text. */
export async function isImageOnly(source: PageSource): Promise<boolean> {
  const { file } = source;
  const visits = new Visits(file);
  const drawings = new Drawings(file);
  let hasImages = false;
  for await (const page of pagesOf(source)) {
    const waiting = [{ value: page.get("Contents") ?? null, resources: page.get("Resources") }];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const drawing = drawings.of(next.value);
      if (drawing.hasText) return false;
      hasImages ||= drawing.hasImages;
      const objects = file.dictionary(file.dictionary(next.resources)?.get("XObject"));
      for (const name of objects ? drawing.names : []) {
        const value = objects?.get(name);
        const drawn = value === undefined ? undefined : file.dictionary(value);
        if (file.name(drawn?.get("Subtype")) === "Image") hasImages = true;
        // A form without resources uses the resources of its page.
        else if (drawn && visits.take(value)) {
          waiting.push({ value: value!, resources: drawn.get("Resources") ?? next.resources });
        }
      }
    }
  }
  return hasImages;
}

/** Reads each content stream once, even if several pages use it. */
class Drawings {
  readonly #file: PdfFile;
  readonly #known = new Map<number, Drawing>();

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** @param contents a stream, or a list of streams */
  of(contents: Value): Drawing {
    const known = contents instanceof Reference ? this.#known.get(contents.number) : undefined;
    if (known) return known;
    const drawing: Drawing = { hasText: false, hasImages: false, names: new Set() };
    if (contents instanceof Reference) this.#known.set(contents.number, drawing);
    const read = new Set<number>();
    for (const value of this.#file.array(contents) ?? [contents]) {
      if (value instanceof Reference && read.size === read.add(value.number).size) continue;
      const stream = this.#file.stream(value);
      if (stream) this.#add(drawing, stream);
    }
    this.#file.budget.charge(VISIT_BYTES * (1 + drawing.names.size));
    return drawing;
  }

  #add(drawing: Drawing, stream: PdfStream): void {
    for (const { operator, operands } of readOperations(decodeContent(stream))) {
      if (TEXT_SHOWING.has(operator)) drawing.hasText = true;
      if (operator === "BI") drawing.hasImages = true;
      const name = operator === "Do" ? operands.at(-1) : undefined;
      if (name instanceof Name) drawing.names.add(name.text);
      if (drawing.hasText) return;
    }
  }
}

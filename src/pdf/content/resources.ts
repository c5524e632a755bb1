// Which of its resources a page, a form or a glyph really uses (ISO 32000-1, 7.8.3). Pages that share one dictionary would drag each
// other's images and fonts along. Knows no copying.
import { EngineFailure } from "../../core/failure.ts";
import { Lexer } from "../objects/lexer.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, type PdfStream, Reference, type Value } from "../objects/values.ts";
import { inlineDictionary, skipInlineData } from "./content.ts";
import { RESOURCE_CATEGORIES, type ResourceCategory } from "./operators.ts";

/** Other categories, ProcSet among them, stay as they are. */
const CATEGORIES: readonly ResourceCategory[] = [...new Set(RESOURCE_CATEGORIES.values())];
/** What device colors mean is not named by an operator (8.6.5.6). */
const DEFAULTS = ["DefaultGray", "DefaultRGB", "DefaultCMYK"];
/** Decoded bytes of one content stream, and of all that are looked into in a file. */
const MAX_CONTENT_BYTES = 64 * 1024 * 1024;
/** What has no bytes takes no more when it is deflated. */
const EMPTY_BYTES = 8;
const MAX_TOTAL_BYTES = 4 * 1024 * 1024 * 1024;

/** Names in use, by category. */
class Usage {
  readonly #names = new Map<ResourceCategory, Set<string>>(CATEGORIES.map((category) => [category, new Set()]));
  /** Those that came since they were last asked for. */
  readonly #new = new Map<ResourceCategory, string[]>(CATEGORIES.map((category) => [category, []]));

  of(category: ResourceCategory): ReadonlySet<string> {
    return this.#names.get(category)!;
  }

  add(category: ResourceCategory, name: string): void {
    const names = this.#names.get(category)!;
    if (names.has(name)) return;
    names.add(name);
    this.#new.get(category)!.push(name);
  }

  takeNew(category: ResourceCategory): readonly string[] {
    return this.#new.get(category)!.splice(0);
  }
}

/** Finds what is used in one file. */
export class ResourceUsage {
  readonly #file: PdfFile;
  /** By number of a form's, a pattern's or a Type 3 font's object: resources of its own that it uses. */
  readonly #pruned = new Map<number, Dictionary | undefined>();
  #totalBytes = 0;

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /**
   * @param page the page's dictionary
   * @returns the resources it uses, with the values of the source; undefined where that cannot be told: then it may use all
   */
  ofPage(page: Dictionary): Dictionary | undefined {
    const resources = this.#file.dictionary(page.get("Resources"));
    if (!resources) return undefined;
    const borrowers = this.#appearancesOf(page).filter((appearance) => this.#borrows(appearance));
    return this.#prune(resources, [...this.#contentsOf(page), ...borrowers]);
  }

  /**
   * @param dictionary of a stream or font that may have resources of its own: a form, a tiling pattern, a Type 3 font
   * @returns the resources it uses; undefined where it has none, or it cannot be told
   */
  ofObject(dictionary: Dictionary, reference: Reference): Dictionary | undefined {
    const { number } = reference;
    if (!this.#pruned.has(number)) this.#pruned.set(number, this.#find(dictionary, reference));
    return this.#pruned.get(number);
  }

  #find(dictionary: Dictionary, reference: Reference): Dictionary | undefined {
    const file = this.#file;
    const resources = file.dictionary(dictionary.get("Resources"));
    if (!resources) return undefined;
    if (file.name(dictionary.get("Subtype")) === "Type3") return this.#prune(resources, this.#glyphsOf(dictionary));
    return file.stream(reference) ? this.#prune(resources, [reference]) : undefined;
  }

  /** @param contents references to the content streams that use the resources */
  #prune(resources: Dictionary, contents: readonly Value[]): Dictionary | undefined {
    const usage = new Usage();
    const seen = new Set<number>();
    const waiting = [...contents];
    while (waiting.length > 0) {
      const next = waiting.pop()!;
      const stream = this.#file.stream(next);
      if (!stream || !(next instanceof Reference) || seen.has(next.number)) continue;
      seen.add(next.number);
      const bytes = this.#decoded(stream);
      if (!bytes) return undefined;
      collect(bytes, usage);
      for (const borrower of this.#borrowers(resources, usage)) waiting.push(borrower);
    }
    return this.#kept(resources, usage);
  }

  #kept(resources: Dictionary, usage: Usage): Dictionary {
    const kept = resources.clone();
    for (const category of CATEGORIES) {
      const all = this.#file.dictionary(resources.get(category));
      if (!all) continue;
      const used = usage.of(category);
      const some = new Dictionary();
      for (const [name, value] of all) {
        if (used.has(name) || (category === "ColorSpace" && DEFAULTS.includes(name))) some.set(name, value);
      }
      if (some.size > 0) kept.set(category, some);
      else kept.delete(category);
    }
    return kept;
  }

  /** Of what came into use: streams without resources of their own, which look for them here. */
  *#borrowers(resources: Dictionary, usage: Usage): Generator<Value> {
    for (const category of ["XObject", "Pattern"] as const) {
      for (const value of this.#used(resources, usage, category)) if (this.#borrows(value)) yield value;
    }
    for (const value of this.#used(resources, usage, "Font")) {
      const font = this.#file.dictionary(value);
      if (font && !font.has("Resources") && this.#file.name(font.get("Subtype")) === "Type3")
        yield* this.#glyphsOf(font);
    }
  }

  *#used(resources: Dictionary, usage: Usage, category: ResourceCategory): Generator<Value> {
    const all = this.#file.dictionary(resources.get(category));
    for (const name of usage.takeNew(category)) {
      const value = all?.get(name);
      if (value !== undefined) yield value;
    }
  }

  /** A form or a pattern without resources of its own; not so an image, which has none. */
  #borrows(value: Value): boolean {
    const dictionary = this.#file.stream(value)?.dictionary;
    return dictionary?.has("BBox") === true && !dictionary.has("Resources");
  }

  /** One after the other they are one stream, but tokens do not go over from one to the next (7.8.2). */
  #contentsOf(page: Dictionary): readonly Value[] {
    const contents = page.get("Contents") ?? null;
    return this.#file.array(contents) ?? [contents];
  }

  #glyphsOf(font: Dictionary): readonly Value[] {
    return this.#file.dictionary(font.get("CharProcs"))?.values() ?? [];
  }

  /** All appearances of a page's annotations (12.5.5). */
  #appearancesOf(page: Dictionary): Value[] {
    const file = this.#file;
    const found: Value[] = [];
    for (const annotation of file.array(page.get("Annots")) ?? []) {
      for (const appearance of file.dictionary(file.dictionary(annotation)?.get("AP"))?.values() ?? []) {
        const object = file.resolve(appearance);
        if (object instanceof Dictionary) for (const state of object.values()) found.push(state);
        else found.push(appearance);
      }
    }
    return found;
  }

  #decoded(stream: PdfStream): Uint8Array | undefined {
    try {
      const bytes = stream.body.decoded(MAX_CONTENT_BYTES);
      // What is damaged from the start on decodes to nothing, and other readers may find more in it.
      if (bytes.length === 0 && stream.body.raw().length > EMPTY_BYTES) return undefined;
      this.#totalBytes += bytes.length;
      if (this.#totalBytes > MAX_TOTAL_BYTES) throw new EngineFailure("too-complex", "content streams without end");
      return bytes;
    } catch (error) {
      if (error instanceof EngineFailure && error.reason === "damaged") return undefined;
      throw error;
    }
  }
}

/** Adds the names that the operators of a content stream use. */
function collect(bytes: Uint8Array, usage: Usage): void {
  const lexer = new Lexer(bytes);
  let first: string | undefined;
  let last: string | undefined;
  let depth = 0;
  while (lexer.next() !== "end") {
    switch (lexer.kind) {
      case "[":
      case "<<":
        depth++;
        continue;
      case "]":
      case ">>":
        depth = Math.max(0, depth - 1);
        continue;
      case "name":
        if (depth > 0) continue;
        last = lexer.nameText;
        first ??= last;
        continue;
      case "keyword":
        break;
      default:
        continue;
    }
    const operator = lexer.text;
    if (operator === "BI") {
      const image = inlineDictionary(lexer);
      const space = image.get("CS") ?? image.get("ColorSpace");
      // An indexed color space may name its base.
      for (const name of Array.isArray(space) ? space : [space]) {
        if (name instanceof Name) usage.add("ColorSpace", name.text);
      }
      skipInlineData(lexer, image);
    } else {
      const category = RESOURCE_CATEGORIES.get(operator);
      const name = operator === "Tf" ? first : last;
      if (category && name !== undefined) usage.add(category, name);
    }
    first = undefined;
    last = undefined;
    depth = 0;
  }
}

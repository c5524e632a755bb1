// Finds the resources that a page, form or glyph uses (ISO 32000-1, 7.8.3). With its whole resource dictionary, an
// extracted page would include the images and fonts of all pages that share it.
import { EngineFailure } from "../contract/failure.ts";
import { Lexer } from "../objects/parsing/lexer.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, type PdfStream, Reference, type Value } from "../objects/values.ts";
import { inlineDictionary, skipInlineData } from "./content.ts";
import { RESOURCE_CATEGORIES, type ResourceCategory } from "./operators.ts";

/** Categories to prune. Other entries, such as ProcSet, stay unchanged. */
const CATEGORIES: readonly ResourceCategory[] = [...new Set(RESOURCE_CATEGORIES.values())];
/** Color spaces that replace device colors; operators use them without naming them (8.6.5.6). */
const DEFAULTS = ["DefaultGray", "DefaultRGB", "DefaultCMYK"];
/** Maximum decoded bytes of one content stream. {@link MAX_TOTAL_BYTES} limits the sum over a file. */
const MAX_CONTENT_BYTES = 64 * 1024 * 1024;
/** Maximum size of an empty stream after compression. */
const EMPTY_BYTES = 8;
const MAX_TOTAL_BYTES = 4 * 1024 * 1024 * 1024;

/** The names in use, by category. */
class Usage {
  readonly #names = new Map<ResourceCategory, Set<string>>(CATEGORIES.map((category) => [category, new Set()]));
  /** Names added since the last call of {@link takeNew}. */
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

/** Finds the used resources of one file. */
export class ResourceUsage {
  readonly #file: PdfFile;
  /** Used resources of forms, patterns and Type 3 fonts with their own Resources, by object number. */
  readonly #pruned = new Map<number, Dictionary | undefined>();
  #totalBytes = 0;

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /**
   * @param page the page dictionary
   * @returns a copy of the Resources with only the used entries; undefined if the used entries cannot be determined
   */
  ofPage(page: Dictionary): Dictionary | undefined {
    const resources = this.#file.dictionary(page.get("Resources"));
    if (!resources) return undefined;
    const borrowers = this.#appearancesOf(page).filter((appearance) => this.#borrows(appearance));
    return this.#prune(resources, [...this.#contentsOf(page), ...borrowers]);
  }

  /**
   * @param dictionary a stream or font that can have its own Resources: a form, a tiling pattern, a Type 3 font
   * @returns a copy of its Resources with only the used entries; undefined if it has no Resources, or the used entries
   * cannot be determined
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

  /** Yields the newly used forms, patterns and glyphs that have no Resources and therefore use the given ones. */
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

  /**
   * Reports whether a value is a form or a pattern without Resources. Images have no Resources either, but they have no
   * BBox.
   */
  #borrows(value: Value): boolean {
    const dictionary = this.#file.stream(value)?.dictionary;
    return dictionary?.has("BBox") === true && !dictionary.has("Resources");
  }

  /** Returns the content streams of a page. They form one stream, but no token spans two of them (7.8.2). */
  #contentsOf(page: Dictionary): readonly Value[] {
    const contents = page.get("Contents") ?? null;
    return this.#file.array(contents) ?? [contents];
  }

  #glyphsOf(font: Dictionary): readonly Value[] {
    return this.#file.dictionary(font.get("CharProcs"))?.values() ?? [];
  }

  /** Returns all appearances of a page's annotations (12.5.5). */
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
      // A stream that is damaged from its start decodes to nothing here, but other readers might decode more.
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

/** Adds the resource names that a content stream uses. */
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
      // An indexed color space can name its base space.
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

// Reads all content streams of a file with their resources: pages, forms, patterns, soft masks, Type 3 glyphs and
// appearances (ISO 32000-1, 7.8.2).
import { EngineFailure } from "../../contract/failure.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, PdfStream, plainBody, Reference, type Value } from "../../objects/values.ts";
import { newStream, type PdfaDocument } from "../pdfa-document.ts";
import type { ContentStream } from "./content-stream.ts";

/** Maximum decoded bytes of one content stream, and of all content streams of a file. */
const MAX_CONTENT_BYTES = 128 * 2 ** 20;
const MAX_TOTAL_BYTES = 4 * 2 ** 30;
const NEWLINE = new Uint8Array([10]);
/** Number of streams between checks of the signal and of the engine's heap. */
const STREAMS_AT_ONCE = 50;

/**
 * Processes a content stream.
 * @returns the new bytes; undefined to keep the stream
 */
export type ContentReader = (stream: ContentStream) => Uint8Array | undefined;

interface Waiting {
  readonly value: Value;
  readonly resources: Dictionary;
  readonly inherited: Dictionary | undefined;
}

/**
 * Reads each content stream once, before the forms, patterns and glyphs that it uses.
 * @param called receives the object number of each appearance, once per annotation that has it
 */
export async function readContentStreams(
  document: PdfaDocument,
  read: ContentReader,
  called: (number: number) => void,
): Promise<void> {
  await new ContentWalk(document, read, called).run();
}

class ContentWalk {
  readonly #document: PdfaDocument;
  readonly #read: ContentReader;
  readonly #called: (number: number) => void;
  readonly #seen = new Set<number>();
  readonly #spread = new Set<Dictionary>();
  readonly #fonts = new Set<Dictionary>();
  readonly #waiting: Waiting[] = [];
  #totalBytes = 0;
  #count = 0;

  constructor(document: PdfaDocument, read: ContentReader, called: (number: number) => void) {
    this.#document = document;
    this.#read = read;
    this.#called = called;
  }

  async run(): Promise<void> {
    const { file } = this.#document;
    for (const reference of this.#document.pages) {
      this.#page(this.#document.page(reference));
      await this.#drain();
    }
    const form = file.dictionary(file.catalog.get("AcroForm"));
    const shared = file.dictionary(form?.get("DR"));
    if (shared) this.#spreadOut(shared);
    await this.#drain();
  }

  async #drain(): Promise<void> {
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) {
      this.#stream(next);
      if (++this.#count % STREAMS_AT_ONCE > 0) continue;
      this.#document.signal.throwIfAborted();
      await this.#document.file.relieve();
    }
  }

  #page(page: Dictionary): void {
    const { file } = this.#document;
    const resources = file.dictionary(page.get("Resources")) ?? new Dictionary();
    this.#spreadOut(resources);
    const contents = page.get("Contents");
    const parts: Uint8Array[] = [];
    for (const value of file.array(contents) ?? [contents]) {
      const stream = file.stream(value);
      const bytes = stream && this.#decoded(stream);
      if (bytes) parts.push(bytes, NEWLINE);
    }
    const bytes = parts.length === 2 ? parts[0]! : Buffer.concat(parts);
    const changed = this.#read({ bytes, resources, inherited: undefined, number: undefined });
    if (changed) page.set("Contents", file.add(newStream(changed, {})));
    for (const annotation of file.array(page.get("Annots")) ?? []) {
      for (const appearance of this.#appearances(annotation)) {
        if (appearance instanceof Reference) this.#called(appearance.number);
        this.#waiting.push({ value: appearance, resources: new Dictionary(), inherited: this.#formResources() });
      }
    }
  }

  #formResources(): Dictionary | undefined {
    const { file } = this.#document;
    return file.dictionary(file.dictionary(file.catalog.get("AcroForm"))?.get("DR"));
  }

  *#appearances(annotation: Value): Generator<Value> {
    const { file } = this.#document;
    for (const value of file.dictionary(file.dictionary(annotation)?.get("AP"))?.values() ?? []) {
      const object = file.resolve(value);
      if (object instanceof Dictionary) yield* object.values();
      else yield value;
    }
  }

  #stream({ value, resources: own, inherited }: Waiting): void {
    const { file } = this.#document;
    const stream = file.stream(value);
    if (!stream || !(value instanceof Reference) || this.#seen.has(value.number)) return;
    this.#seen.add(value.number);
    const bytes = this.#decoded(stream);
    if (!bytes) return;
    const isGlyph = !stream.dictionary.has("BBox");
    let resources = isGlyph ? own : file.dictionary(stream.dictionary.get("Resources"));
    // A stream without resources uses the resources of its caller (7.8.3). From PDF/A-2 on, every stream must have its
    // own resources (6.2.2).
    const callers = resources ?? inherited;
    if (!resources) {
      resources = defaultsOf(file, inherited);
      stream.dictionary.set("Resources", resources);
    }
    const changed = this.#read({ bytes, resources, inherited, number: value.number });
    if (changed) file.put(value, withBytes(stream, changed));
    this.#spreadOut(resources, callers);
  }

  /** Queues the content streams that resources contain. */
  #spreadOut(resources: Dictionary, inherited = resources): void {
    if (this.#spread.has(resources)) return;
    this.#spread.add(resources);
    const { file } = this.#document;
    const each = (category: string, take: (value: Value) => void) => {
      for (const value of file.dictionary(resources.get(category))?.values() ?? []) take(value);
    };
    const wait = (value: Value) => this.#waiting.push({ value, resources, inherited });
    each("XObject", (value) => {
      if (file.name(file.stream(value)?.dictionary.get("Subtype")) === "Form") wait(value);
    });
    each("Pattern", wait);
    each("ExtGState", (value) => wait(file.dictionary(file.dictionary(value)?.get("SMask"))?.get("G") ?? null));
    each("Font", (value) => this.#glyphs(value, resources));
  }

  /** Queues the glyphs of a Type 3 font, which share the font's resources. */
  #glyphs(value: Value, resources: Dictionary): void {
    const { file } = this.#document;
    const font = file.dictionary(value);
    if (!font || file.name(font.get("Subtype")) !== "Type3") return;
    if (this.#fonts.has(font)) return;
    this.#fonts.add(font);
    let own = file.dictionary(font.get("Resources"));
    const callers = own ?? resources;
    // The new resources contain only what the glyphs use, because validators do not terminate if the resources of a
    // font refer to the font.
    if (!own || file.dictionary(own.get("Font"))) {
      own = defaultsOf(file, callers);
      font.set("Resources", own);
    }
    for (const glyph of file.dictionary(font.get("CharProcs"))?.values() ?? [])
      this.#waiting.push({ value: glyph, resources: own, inherited: callers });
  }

  /** @returns undefined for a stream that cannot be decoded */
  #decoded(stream: PdfStream): Uint8Array | undefined {
    try {
      const bytes = stream.body.decoded(MAX_CONTENT_BYTES);
      this.#totalBytes += bytes.length;
      if (this.#totalBytes > MAX_TOTAL_BYTES) throw new EngineFailure("too-complex", "content streams without end");
      return bytes;
    } catch (error) {
      if (error instanceof EngineFailure && error.reason === "damaged") return undefined;
      throw error;
    }
  }
}

/** Returns resources with only the default color spaces, which operators use without naming them. */
function defaultsOf(file: PdfFile, resources: Dictionary | undefined): Dictionary {
  const defaults = new Dictionary();
  for (const [name, space] of file.dictionary(resources?.get("ColorSpace")) ?? [])
    if (name.startsWith("Default")) defaults.set(name, space);
  return defaults.size > 0 ? Dictionary.of({ ColorSpace: defaults }) : new Dictionary();
}

/** Returns a stream with other bytes. The dictionary stays the same object, because the survey refers to it. */
function withBytes(stream: PdfStream, bytes: Uint8Array): PdfStream {
  for (const key of ["Filter", "DecodeParms", "DL"]) stream.dictionary.delete(key);
  return new PdfStream(stream.dictionary, plainBody(bytes));
}

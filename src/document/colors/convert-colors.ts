// Converts all colors of a document to one color space, in place: content, images, shadings, patterns, glyphs of Type 3
// fonts, annotations and transparency groups. Luminosity masks become gray, because their colors are opacities.
import { deflateSync } from "node:zlib";
import { contentOf, decodeContent } from "../content/page-content.ts";
import type { MupdfSource } from "../objects/engine/mupdf-source.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, plainBody, Reference, type Value } from "../objects/values.ts";
import { pageDictionary, readPages } from "../pages/pages.ts";
import { convertedAnnotation, convertedAppearance } from "./annotation-colors.ts";
import { ColorConverter } from "./color-converter.ts";
import { ConvertedContent, initialSpaces, type Spaces } from "./converted-content.ts";
import { convertedImage, convertedInline, type ImageContext } from "./converted-images.ts";
import { ConvertedResources, type Mode } from "./converted-resources.ts";
import { replaceIntents } from "./output-intents.ts";
import { GRAY, type Target } from "./target.ts";

/** A content stream that is still to be converted. */
interface Waiting {
  readonly reference: Reference;
  readonly mode: Mode;
  /** Original resources of the content that paints it, for content without resources of its own. */
  readonly callers: Dictionary;
  readonly spaces: Spaces;
  /** True for content that starts with the initial color, not with that of its caller. */
  readonly startsBlack: boolean;
}

export interface ConversionOptions {
  readonly target: Target;
  readonly preservesBlack: boolean;
  /** Maximum memory for the samples of one image. */
  readonly limitBytes: number;
  readonly signal: AbortSignal;
}

/** @returns the number of images and shadings that could not be converted */
export async function convertColors(file: PdfFile, source: MupdfSource, options: ConversionOptions): Promise<number> {
  const conversion = new Conversion(file, source, options);
  const { pages, nodes } = readPages(file);
  const dictionaries = pages.map((page) => ({ page, dictionary: pageDictionary(file, page) }));
  for (const { page, dictionary } of dictionaries) {
    conversion.page(page.reference, dictionary);
    await conversion.finish(options.signal);
  }
  // Pages have their inherited resources now.
  for (const node of nodes) {
    const own = file.dictionary(node);
    if (own?.has("Resources")) file.put(node, own.clone().set("Resources", null));
  }
  conversion.form();
  await conversion.finish(options.signal);
  replaceIntents(file, options.target);
  return conversion.failures;
}

class Conversion {
  /** Number of images and shadings that could not be converted. */
  failures = 0;
  readonly #file: PdfFile;
  readonly #source: MupdfSource;
  readonly #limitBytes: number;
  readonly #colors: Mode;
  readonly #resources: ConvertedResources;
  /** Numbers of the objects that are converted, or wait for it. */
  readonly #seen = new Set<number>();
  readonly #waiting: Waiting[] = [];
  /** Soft masks wait until all colors are converted, because an object that is used as both has the colors. */
  readonly #waitingMasks: Waiting[] = [];
  readonly #initial: Spaces;

  constructor(file: PdfFile, source: MupdfSource, { target, preservesBlack, limitBytes }: ConversionOptions) {
    this.#file = file;
    this.#limitBytes = limitBytes;
    this.#source = source;
    this.#initial = initialSpaces(file);
    const converter = new ColorConverter(file, source, target, { preservesBlack });
    const masks = new ColorConverter(file, source, GRAY, { preservesBlack: false });
    this.#colors = { converter, names: { space: "Target", pattern: "TargetPattern" } };
    this.#resources = new ConvertedResources(file, this.#colors, {
      masks: { converter: masks, names: { space: "DeviceGray", pattern: "MaskPattern" } },
      isNew: (reference) => this.#isNew(reference),
      paints: (value, mode, callers) => this.#object(value, mode, callers, this.#initial),
      content: (reference, mode, callers, startsBlack) =>
        this.#wait({ reference, mode, callers, spaces: this.#initial, startsBlack }),
      fails: () => {
        this.failures++;
      },
    });
  }

  page(reference: Reference, page: Dictionary): void {
    const file = this.#file;
    if (!this.#isNew(reference)) return;
    const original = this.#resources.original(page.get("Resources")) ?? new Dictionary();
    const content = { mode: this.#colors, spaces: this.#initial, startsBlack: true };
    const bytes = this.#content(contentOf(file, page.get("Contents")), original, content);
    if (bytes) page.set("Contents", file.add(deflated(new Dictionary(), bytes)));
    page.set("Resources", this.#resources.convert(page.get("Resources"), this.#colors));
    page.set("Parent", file.dictionary(reference)?.get("Parent") ?? null).delete("Thumb");
    const group = file.dictionary(page.get("Group"));
    if (group) page.set("Group", groupIn(this.#colors, group));
    const annotations = file.array(page.get("Annots"));
    if (annotations)
      page.set(
        "Annots",
        annotations.map((one) => this.#annotation(one)),
      );
    file.put(reference, page);
  }

  /** Converts what the fields of the form have in common: resources, and the appearance of their text. */
  form(): void {
    const file = this.#file;
    const form = file.dictionary(file.catalog.get("AcroForm"));
    if (!form) return;
    const own = form.clone();
    if (form.has("DR")) own.set("DR", this.#resources.convert(form.get("DR"), this.#colors));
    const text = convertedAppearance(file, form.get("DA"), this.#colors.converter);
    if (text) own.set("DA", text);
    file.catalog = file.catalog.clone().set("AcroForm", own);
    const fields = [...(file.array(form.get("Fields")) ?? [])];
    for (let next = fields.pop(); next !== undefined; next = fields.pop()) {
      const kids = file.array(file.dictionary(next)?.get("Kids")) ?? [];
      if (!(next instanceof Reference)) continue;
      // Widgets on pages are converted already.
      if (this.#isNew(next)) this.#annotation(next, true);
      else if (kids.length === 0) continue;
      fields.push(...kids);
    }
  }

  /** Converts all content streams that wait. */
  async finish(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      await this.#file.relieve();
      const next = this.#waiting.pop() ?? this.#waitingMasks.pop();
      if (!next) return;
      this.#stream(next);
    }
  }

  #stream({ reference, callers, ...content }: Waiting): void {
    const file = this.#file;
    const stream = file.stream(reference);
    if (!stream) return;
    const { mode } = content;
    const value = stream.dictionary.get("Resources");
    const bytes = this.#content(decodeContent(stream), this.#resources.original(value) ?? callers, content);
    const dictionary = stream.dictionary.clone();
    // Without any resources, the content could not name the target.
    if (value !== undefined || (bytes && callers.size === 0))
      dictionary.set("Resources", this.#resources.convert(value, mode));
    const group = file.dictionary(dictionary.get("Group"));
    if (group) dictionary.set("Group", groupIn(mode, group));
    file.put(reference, bytes ? deflated(dictionary, bytes) : new PdfStream(dictionary, stream.body));
  }

  /** @returns undefined for content that stays the same */
  #content(
    bytes: Uint8Array,
    resources: Dictionary,
    { mode, spaces, startsBlack }: Pick<Waiting, "mode" | "spaces" | "startsBlack">,
  ): Uint8Array | undefined {
    const context = this.#imageContext(mode, resources);
    const nameOf = (space: Value) => this.#resources.name(space, mode);
    const content = new ConvertedContent(this.#file, resources, spaces, {
      ...mode,
      paints: (value, inherited) => this.#object(value, mode, resources, inherited),
      nameOf,
      inlineImage: (operation, all) => convertedInline(context, operation, all, nameOf),
    });
    return content.convert(bytes, startsBlack);
  }

  #imageContext({ converter }: Mode, resources: Dictionary): ImageContext {
    return { file: this.#file, source: this.#source, converter, resources, limitBytes: this.#limitBytes };
  }

  #object(value: Value, mode: Mode, callers: Dictionary, spaces: Spaces): void {
    const file = this.#file;
    const stream = file.stream(value);
    if (!stream || !(value instanceof Reference) || !this.#isNew(value)) return;
    if (file.name(stream.dictionary.get("Subtype")) !== "Image") {
      this.#wait({ reference: value, mode, callers, spaces, startsBlack: false });
      return;
    }
    if (file.boolean(stream.dictionary.get("ImageMask"))) return;
    const made = convertedImage(this.#imageContext(mode, callers), stream);
    if (made) file.put(value, made);
    else this.failures++;
  }

  /** Returns the converted annotation, or the reference to it. */
  #annotation(value: Value, isKnownNew = false): Value {
    const file = this.#file;
    const annotation = file.dictionary(value);
    const isDone = value instanceof Reference && !isKnownNew && !this.#isNew(value);
    if (!annotation || isDone) return value;
    const made = convertedAnnotation(file, annotation, this.#colors.converter);
    for (const state of file.dictionary(annotation.get("AP"))?.values() ?? []) {
      for (const appearance of file.stream(state) ? [state] : (file.dictionary(state)?.values() ?? [])) {
        if (!(appearance instanceof Reference && file.stream(appearance)) || !this.#isNew(appearance)) continue;
        const content = { mode: this.#colors, spaces: this.#initial, startsBlack: true };
        this.#wait({ reference: appearance, callers: new Dictionary(), ...content });
      }
    }
    if (!(value instanceof Reference)) return made;
    file.put(value, made);
    return value;
  }

  #wait(waiting: Waiting): void {
    const isMask = waiting.mode !== this.#colors;
    (isMask ? this.#waitingMasks : this.#waiting).push(waiting);
  }

  #isNew({ number }: Reference): boolean {
    if (this.#seen.has(number)) return false;
    this.#seen.add(number);
    return true;
  }
}

/** Returns a transparency group that blends in the target. Lab cannot be a blending space (ISO 32000-1, 11.3.4). */
function groupIn({ converter: { target } }: Mode, group: Dictionary): Dictionary {
  return group.has("CS") ? group.clone().set("CS", target.isLab ? null : target.space) : group;
}

/** Returns a stream with a Flate filter. */
function deflated(entries: Dictionary, bytes: Uint8Array): PdfStream {
  const dictionary = entries.clone();
  for (const key of ["DecodeParms", "DL", "F", "FFilter", "FDecodeParms"]) dictionary.delete(key);
  return new PdfStream(dictionary.set("Filter", Name.of("FlateDecode")), plainBody(deflateSync(bytes)));
}

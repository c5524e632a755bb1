// Reduces the size of a file: stores equal objects once, omits discarded objects, and recodes each stream as it is
// written, so that only one stream is in memory at a time.

import { type Survey, surveyFile } from "../content/survey.ts";
import { EngineFailure } from "../contract/failure.ts";
import { replaceInlineImages } from "../images/inline-images.ts";
import { recodeImage } from "../images/recode-image.ts";
import { removeHiddenLayers } from "../layers/hidden-layers.ts";
import { Interning } from "../objects/interning.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, type PdfObject, PdfStream, Reference } from "../objects/values.ts";
import { type Rewriting, type WriterOptions, writeFile } from "../objects/writer.ts";
import { INVISIBLE, TINY } from "./content-rounding.ts";
import { Discards } from "./discards.ts";
import { FontPlans } from "./fonts/font-plans.ts";
import { ImageCoder, type Memory } from "./image-coder.ts";
import { ImagePlans, settingsOf } from "./image-plans.ts";
import { minifyContent } from "./minify-content.ts";
import { predictProfile } from "./profile-tables.ts";
import { asFlate, decodedBytes, memoryBody, recodeStream, smaller, withoutFilter } from "./recode-stream.ts";
import type { CompressionSettings } from "./settings.ts";
import { UsedResources } from "./used-resources.ts";

/** The last PDF version without object streams. PDF/A-1 is based on it (ISO 19005-1). */
const CLASSIC_VERSION = "1.4";
/**
 * Maximum length of content that is compressed both with and without rounding, to keep the smaller result. In longer
 * content, rounding always saves bytes.
 */
const CHANCE_BYTES = 1 << 16;
/** Types of dictionaries that belong to fonts. */
const FONT_TYPES = new Set(["Font", "FontDescriptor", "Encoding"]);

/**
 * @returns the bytes of the new file, as they are produced
 * @throws EngineFailure if the file cannot be read
 */
export async function compressFile(
  file: PdfFile,
  settings: CompressionSettings,
  limits: Memory,
  signal: AbortSignal,
): Promise<AsyncGenerator<Uint8Array>> {
  if (settings.discard.has("hidden-layer-content")) await removeHiddenLayers(file, signal);
  const discards = new Discards(file, settings.discard);
  const view = { get: (reference: Reference) => discards.apply(file.get(reference)) };
  if (!discards.keepsInformation) file.trailer.delete("Info");
  const survey = await surveyFile(file, view, signal);
  const rewriting = new Compression(file, settings, limits, survey, discards);
  return writeFile(file, rewriting, writerOptions(file, settings, survey));
}

function writerOptions(
  file: PdfFile,
  { streams, preserveVersion }: CompressionSettings,
  survey: Survey,
): WriterOptions {
  const isOld = file.version <= CLASSIC_VERSION && (preserveVersion || survey.pdfaPart === 1);
  return {
    classic: streams.structure !== "packed" || isOld,
    deflateLevel: streams.structure === "none" || !streams.deflatePlain ? 0 : 9,
  };
}

class Compression implements Rewriting {
  readonly #file: PdfFile;
  readonly #settings: CompressionSettings;
  readonly #limits: Memory;
  readonly #survey: Survey;
  readonly #discards: Discards;
  readonly #interning: Interning;
  readonly #view: Pick<PdfFile, "get">;
  readonly #plans: ImagePlans;
  readonly #images: ImageCoder;
  readonly #fonts: FontPlans | undefined;
  readonly #resources: UsedResources | undefined;

  constructor(file: PdfFile, settings: CompressionSettings, limits: Memory, survey: Survey, discards: Discards) {
    this.#file = file;
    this.#settings = settings;
    this.#limits = limits;
    this.#survey = survey;
    this.#discards = discards;
    this.#interning = new Interning(file.budget);
    this.#view = { get: (reference) => discards.apply(file.get(reference)) };
    const canonical = (number: number) => this.canonical(new Reference(number)).number;
    this.#plans = new ImagePlans(file, settings.images, canonical);
    this.#images = new ImageCoder(file, settings, this.#plans, limits, survey);
    const { fonts } = settings;
    // PDF/A-1 requires a list of glyphs for every subset (ISO 19005-1, 6.3.5). No such list is written.
    const mayName = survey.pdfaPart !== 1;
    this.#resources = fonts.removeUnused ? new UsedResources(file, survey, canonical) : undefined;
    this.#fonts =
      fonts.subset || fonts.mergeSubsets ? new FontPlans(file, fonts, survey.fonts, canonical, mayName) : undefined;
  }

  canonical(reference: Reference): Reference {
    const equal = this.#equal(reference);
    return this.#fonts?.mergedProgram(equal) ?? equal;
  }

  #equal(reference: Reference): Reference {
    const { images, fonts } = this.#settings;
    if (!images.mergeEqual && !fonts.mergeEqual) return reference;
    if (!(images.mergeEqual && fonts.mergeEqual)) {
      const isOfFont = this.#isOfFont(this.#file.get(reference));
      if (isOfFont ? !fonts.mergeEqual : !images.mergeEqual) return reference;
    }
    return this.#interning.find(this.#view, reference, () => reference)?.reference ?? reference;
  }

  rewrite(object: PdfObject, reference: Reference): PdfObject {
    const kept = this.#pruned(this.#discards.apply(object), reference.number);
    if (kept instanceof PdfStream) return this.#rewriteStream(kept, reference.number);
    return this.#fonts && kept instanceof Dictionary ? this.#fonts.named(kept, reference.number) : kept;
  }

  #pruned(object: PdfObject, number: number): PdfObject {
    if (!this.#resources) return object;
    if (object instanceof Dictionary) return this.#resources.prune(object, number);
    if (!(object instanceof PdfStream)) return object;
    const dictionary = this.#resources.prune(object.dictionary, number);
    return dictionary === object.dictionary ? object : new PdfStream(dictionary, object.body);
  }

  #isOfFont(object: PdfObject): boolean {
    const dictionary = object instanceof PdfStream ? object.dictionary : object;
    if (!(dictionary instanceof Dictionary)) return false;
    const type = dictionary.get("Type");
    return (type instanceof Name && FONT_TYPES.has(type.text)) || dictionary.has("Length1");
  }

  #rewriteStream(stream: PdfStream, number: number): PdfStream {
    const { dictionary } = stream;
    const { streams } = this.#settings;
    const subtype = this.#file.name(dictionary.get("Subtype"));
    if (streams.structure === "none") return this.#plain(stream);
    if (subtype === "Image") return this.#images.recode(stream, number);
    if (this.#survey.contents.has(number)) return this.#rewriteContent(stream, number);
    // PDF/A-1 requires metadata without a filter (ISO 19005-1, 6.7.2). Metadata of later PDF/A parts also stay
    // unfiltered.
    const isMetadata = this.#file.name(dictionary.get("Type")) === "Metadata" && !dictionary.has("Filter");
    if (isMetadata && streams.deflateMetadata && this.#survey.pdfaPart === 0) {
      return dictionary.has("F") ? stream : asFlate(stream, stream.body.raw());
    }
    const program = this.#fonts?.programOf(number, stream);
    if (program) return program;
    const recoded = recodeStream(this.#file, stream, streams);
    return streams.reflate ? smaller(recoded, predictProfile(this.#file, stream)) : recoded;
  }

  /** Returns the stream decoded, if all its filters are lossless. */
  #plain(stream: PdfStream): PdfStream {
    const bytes = stream.dictionary.has("Filter") ? decodedBytes(this.#file, stream) : undefined;
    return bytes ? new PdfStream(withoutFilter(stream.dictionary), memoryBody(bytes)) : stream;
  }

  #rewriteContent(stream: PdfStream, number: number): PdfStream {
    const { streams } = this.#settings;
    const uses = this.#plans.inline.get(number);
    const changed = (uses && this.#withInlineImages(stream, uses)) ?? stream;
    const bytes = streams.optimizeContent ? decodedBytes(this.#file, changed) : undefined;
    const scale = this.#plans.scaleOf(number);
    const rounding = (tolerance: number) => ({ tolerance, ...(scale === undefined ? {} : { scale }) });
    const shorter = bytes && minifyContent(bytes, rounding(streams.roundContent ? TINY : INVISIBLE));
    if (shorter && streams.reflate) {
      const lossless = recodeStream(this.#file, stream, streams);
      // Rounded content is shorter, but occasionally compresses worse.
      const exact =
        streams.roundContent && bytes.length <= CHANCE_BYTES ? minifyContent(bytes, rounding(INVISIBLE)) : undefined;
      return smaller(exact ? smaller(lossless, asFlate(changed, exact)) : lossless, asFlate(changed, shorter));
    }
    if (changed !== stream && bytes) return smaller(recodeStream(this.#file, stream, streams), asFlate(changed, bytes));
    return recodeStream(this.#file, stream, streams);
  }

  #withInlineImages(stream: PdfStream, uses: Parameters<typeof replaceInlineImages>[2]): PdfStream | undefined {
    try {
      return replaceInlineImages(this.#file, stream, uses, (image, body, use) => {
        const size = this.#plans.sizeFor(image, use);
        if (!size) return undefined;
        const { coding, quality } = settingsOf(this.#settings.images, image);
        const jpeg = quality && coding === "lossy" ? { jpeg: quality } : {};
        const recoded = recodeImage(image, body, { ...size, role: "inline", limits: this.#limits, ...jpeg });
        return recoded && recoded.bytes.length < body.raw().length ? recoded : undefined;
      });
    } catch (error) {
      if (error instanceof EngineFailure && error.reason === "crashed") throw error;
      return undefined;
    }
  }
}

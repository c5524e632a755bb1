// Compares a PDF with the PDF it was made from: pages, page sizes, renderings and text. Yields one output, a JSON list
// of the pages that differ.

import * as z from "zod";
import { EngineFailure } from "../../document/contract/failure.ts";
import { type Context, defineOperation, type Input, type Run } from "../../document/contract/operation.ts";
import type { EngineFonts } from "../../document/engines/mupdf/instance/engine-font.ts";
import type { MupdfOptions } from "../../document/engines/mupdf/instance/mupdf.ts";
import { acquireMupdf, prepareSpare } from "../../document/engines/mupdf/instance/spare.ts";
import { srgbProfile } from "../../document/formats/icc/profile.ts";
import { type PageRendering, RenderedDocument, spread } from "../../document/pdfa/comparison/document-rendering.ts";
import {
  type Distance,
  type PagePixels,
  pixelDistance,
  textDistance,
} from "../../document/pdfa/comparison/page-distance.ts";
import {
  decodeRenderings,
  digestOf,
  type Renderings,
  type StoredRendering,
} from "../../document/pdfa/comparison/rendering-records.ts";
import { fontsForDrawing } from "../../document/pdfa/fonts/face-choice.ts";

const paramsSchema = z.object({
  /**
   * Time limit in milliseconds. When it expires, only the pages compared so far count. They are spread over the whole
   * document.
   */
  timeMs: z.number(),
  /**
   * True if the second document must draw the same glyphs. False if parts of its pages have become images. @default
   * false
   */
  isExact: z.boolean().exactOptional(),
  /** Fonts of the second document that replace fonts that are not embedded in the first document. @default none */
  substitutes: z.array(z.object({ name: z.string(), replacedBy: z.string().exactOptional() })).exactOptional(),
});
export type CompareParams = z.infer<typeof paramsSchema>;

/** The differences between two documents. */
export interface Comparison {
  /** Number of compared pages. */
  readonly compared: number;
  /** Maximum distance among the pages that count as equal. */
  readonly furthest: Pick<Distance, "mean" | "worst">;
  readonly differences: readonly PageDifference[];
}

export interface PageDifference {
  /** Page number, from 1. */
  readonly pageNumber: number;
  /** `missing`: the second document lacks the page, or the page cannot be drawn. */
  readonly kind: "missing" | "size" | "picture" | "text";
  /** Explanation for the log. */
  readonly detail: string;
}

/**
 * Scale of a second comparison for pages that differ at low resolution. Example: a line thinner than a pixel is drawn
 * one pixel wide, but an image of the line contains only a shade.
 */
const CLOSER = 4;
/** Tolerance for the sides of a page, in points. */
const SIZE_TOLERANCE = 1;
/**
 * Allowed lengths of sides in PDF/A (ISO 19005-2, 6.1.13). Larger or smaller pages are resized; pages below the minimum
 * show nothing.
 */
const SIDES = { shortest: 3, longest: 14_400 };
/**
 * Maximum distances of pages that count as equal, set by {@link file://./../../decisions/0018-pdfa.md measurements}.
 */
const MOST = { mean: 8, worst: 64, emptied: 0, filled: 0 };
/**
 * Maximum differences of a pixel in text with the same glyphs. `first`: in the first comparison, at `firstDpi` or more.
 * `closer`: in the second comparison. A different digit in small print causes a larger difference.
 */
const SHARPEST = { first: 24, firstDpi: 36, closer: 96 };
/** Number of pages that are compared even after the time limit. */
const MIN_PAGES = 32;
/** Maximum number of reported differences. */
const MAX_DIFFERENCES = 1000;
/** Number of engines that a thread needs to render a document and then compare it. */
const ENGINES = 2;

/** Creates spare engines for the next PDF/A conversion. */
export const prewarmPdfaEngines = (options: MupdfOptions, engines = ENGINES): Promise<void> =>
  prepareSpare(options, engines, srgbProfile());

export const renderOptions = ({ heapLimitBytes, fonts }: Context): MupdfOptions => ({
  heapLimitBytes: Math.floor(heapLimitBytes / 2),
  fonts: fontsForDrawing(fonts),
});

/**
 * Compares two documents.
 * @param inputs the two documents, then, optionally, the results of render-pdf.ts for the first document or for both
 * documents
 * @throws EngineFailure if the first document cannot be opened
 */
const run: Run<CompareParams> = async function* (inputs, { timeMs, substitutes = [], isExact = false }, context) {
  const [before, after, looksBefore, looksAfter] = inputs;
  const ends = performance.now() + timeMs;
  const options = renderOptions(context);
  context.defer(() => prewarmPdfaEngines(options));
  using original = await Side.open(before!, options, looksBefore);
  const replaced = new Set(substitutes.flatMap(({ name, replacedBy = name }) => [name, replacedBy]));
  const fonts = replaced.size > 0 ? fontsForDrawing(context.fonts, substitutes) : undefined;
  using candidate = await openIfReadable(after!, options, looksAfter);
  const differences: PageDifference[] = [];
  const furthest = { mean: 0, worst: 0 };
  let compared = 0;
  for (const index of spread(Math.max(original.pageCount, candidate?.pageCount ?? 0))) {
    context.signal.throwIfAborted();
    if (differences.length >= MAX_DIFFERENCES) break;
    if (performance.now() > ends && compared >= MIN_PAGES) break;
    compared++;
    const difference = await compare(original, candidate, index, furthest, { isExact, replaced, fonts });
    if (difference) differences.push({ pageNumber: index + 1, ...difference });
  }
  differences.sort((one, other) => one.pageNumber - other.pageNumber);
  const comparison: Comparison = { compared, furthest, differences };
  yield { extension: "json", type: "application/json", body: new TextEncoder().encode(JSON.stringify(comparison)) };
};

export const comparePdfs = defineOperation({ name: "compare-pdfs", params: paramsSchema, run });

interface Means {
  readonly isExact: boolean;
  /** Names of replaced fonts, and of their replacements. */
  readonly replaced: ReadonlySet<string>;
  /** Fonts with which the first document is drawn if its own fonts are missing. */
  readonly fonts: EngineFonts | undefined;
}

type Difference = Omit<PageDifference, "pageNumber">;
const ADDED: Difference = { kind: "missing", detail: "the original has no such page" };

async function compare(
  original: Side,
  candidate: Side | undefined,
  index: number,
  furthest: { mean: number; worst: number },
  means: Means,
): Promise<Difference | undefined> {
  const before = await original.see(index);
  // A page that was already unreadable cannot get worse.
  if (!before) return index < original.pageCount ? undefined : ADDED;
  const after = await candidate?.see(index);
  if (!candidate || !after) return { kind: "missing", detail: "not there, or it cannot be drawn" };
  const sides = [before.width - after.width, before.height - after.height];
  const [short, long] = [Math.min(before.width, before.height), Math.max(before.width, before.height)];
  const isAllowed = short >= SIDES.shortest && long <= SIDES.longest;
  if (isAllowed && sides.some((difference) => Math.abs(difference) > SIZE_TOLERANCE)) {
    return { kind: "size", detail: `${before.width} x ${before.height} became ${after.width} x ${after.height}` };
  }
  const { count, lost, added } = textDistance(before.characters, after.characters);
  if (lost + added > 0) return { kind: "text", detail: `${lost} of ${count} characters lost, ${added} added` };
  if (short < SIDES.shortest) return undefined;
  if (!(before.picture && after.picture) && digest(before) === digest(after)) return undefined;
  const looks = [await original.withPicture(before, index), await candidate.withPicture(after, index)] as const;
  let distance = distanceBetween(...looks, means);
  let isAlike = isLike(distance, SHARPEST.first * Math.min(1, before.dpi / SHARPEST.firstDpi) ** 2);
  for (let pass = 0; pass < (means.fonts ? 2 : 1) && !isAlike; pass++) {
    // MuPDF's built-in fonts can lack characters that the replacements have.
    if (pass > 0) original.drawWith(means.fonts!);
    const closer = [await original.look(index, CLOSER), await candidate.look(index, CLOSER)];
    if (closer[0] && closer[1]) distance = distanceBetween(closer[0], closer[1], means);
    isAlike = isLike(distance, SHARPEST.closer);
  }
  if (!isAlike) return { kind: "picture", detail: JSON.stringify(distance) };
  furthest.mean = Math.max(furthest.mean, distance.mean);
  furthest.worst = Math.max(furthest.worst, distance.worst);
  return undefined;
}

const digest = ({ picture, digest }: StoredRendering): string | undefined => (picture ? digestOf(picture) : digest);

const isLike = (distance: Distance, sharpest: number): boolean =>
  Object.entries({ ...MOST, sharpest }).every(([key, most]) => distance[key as keyof Distance] <= most);

function distanceBetween(before: PageRendering, after: PageRendering, { isExact, replaced }: Means): Distance {
  const { dpi, unseen, picture } = before;
  // Glyphs of a replaced font differ.
  const boxes = Map.groupBy(before.text, ({ fontName }) => isExact && !replaced.has(withoutTag(fontName)));
  const [text, otherText] = [true, false].map((isKept) => (boxes.get(isKept) ?? []).map(({ box }) => box));
  const compared = { dpi, unseen, text: text!, otherText: otherText! };
  return pixelDistance(picture, sameSize(after.picture, picture), compared);
}

/** Returns a font name without subset tag (ISO 32000-1, 9.6.4). */
const withoutTag = (name: string): string => name.replace(/^[A-Z]{6}\+/, "");

/**
 * Crops or extends a raster to the size of the other raster. Page sides that differ by a fraction of a point can differ
 * by a pixel.
 */
function sameSize(picture: PagePixels, { width, height }: PagePixels): PagePixels {
  if (picture.width === width && picture.height === height) return picture;
  const samples = new Uint8Array(width * height * 3).fill(255);
  const rowBytes = 3 * Math.min(width, picture.width);
  for (let row = 0; row < Math.min(height, picture.height); row++) {
    const from = row * picture.width * 3;
    samples.set(picture.samples.subarray(from, from + rowBytes), row * width * 3);
  }
  return { width, height, samples };
}

/** One of the two documents, opened only if the stored renderings are not sufficient. */
class Side implements Disposable {
  readonly #input: Input;
  #options: MupdfOptions;
  readonly #looks: Renderings | undefined;
  #document: RenderedDocument | undefined;

  private constructor(input: Input, options: MupdfOptions, looks: Renderings | undefined) {
    this.#input = input;
    this.#options = options;
    this.#looks = looks;
  }

  /** @throws EngineFailure if the document must be opened and that fails */
  static async open(input: Input, options: MupdfOptions, looks: Input | undefined): Promise<Side> {
    const side = new Side(input, options, looks && decodeRenderings(await looks.bytes()));
    if (!looks) await side.#open();
    return side;
  }

  get pageCount(): number {
    return this.#looks?.pageCount ?? this.#document!.pageCount;
  }

  /** Returns the stored rendering of a page, or renders it now. */
  async see(index: number): Promise<StoredRendering | undefined> {
    return this.#looks?.pages.get(index) ?? this.look(index, 1);
  }

  /** Sets the fonts for later renderings. */
  drawWith(fonts: EngineFonts): void {
    if (this.#options.fonts === fonts) return;
    this.#options = { ...this.#options, fonts };
    this.#document?.[Symbol.dispose]();
    this.#document = undefined;
  }

  /** Renders a page, like {@link RenderedDocument}. */
  async look(index: number, closer: number): Promise<PageRendering | undefined> {
    return (await this.#open()).look(index, closer);
  }

  async withPicture(seen: StoredRendering, index: number): Promise<PageRendering> {
    const { picture } = seen;
    if (picture) return { ...seen, picture };
    const again = await this.look(index, 1);
    if (!again) throw new EngineFailure("crashed", `page ${index + 1} was drawn before, but cannot be drawn again`);
    return again;
  }

  async #open(): Promise<RenderedDocument> {
    const options = this.#options;
    this.#document ??= RenderedDocument.open(await this.#input.bytes(), await acquireMupdf(options), options);
    return this.#document;
  }

  [Symbol.dispose](): void {
    this.#document?.[Symbol.dispose]();
  }
}

/** @returns undefined if the document is unreadable; all pages then count as missing */
async function openIfReadable(
  input: Input,
  options: MupdfOptions,
  looks: Input | undefined,
): Promise<Side | undefined> {
  try {
    return await Side.open(input, options, looks);
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    return undefined;
  }
}

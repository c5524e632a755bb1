// Limits the resolution of a file's images, and optionally converts photographs to JPEG. Everything else stays
// unchanged.
import { EngineFailure } from "../contract/failure.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { PdfStream, Reference, type StreamBody } from "../objects/values.ts";
import { type PdfImage, readImage } from "./image.ts";
import type { SampleLimits } from "./image-samples.ts";
import { type Extent, findImageUses, type InlineUse } from "./image-uses.ts";
import { replaceInlineImages } from "./inline-images.ts";
import { type RecodeOptions, recodeImage } from "./recode-image.ts";

export interface ImageLimits {
  /** Maximum resolution on the page in dots per inch, along each axis. @default unlimited */
  readonly maxDpi?: number;
  /** True to change samples only by resampling. */
  readonly lossless: boolean;
  /** True to change only bilevel images. @default false */
  readonly onlyBilevel?: boolean;
  readonly memory: SampleLimits;
}

export interface LimitedImages {
  /** Number of images examined, and number of images replaced. */
  readonly images: number;
  readonly replaced: number;
  /** Number of images still above the limit, because they could not be read. */
  readonly left: number;
}

const POINTS_PER_INCH = 72;
/** Tolerance for rounding errors in matrices, which do not justify resampling. */
const TOLERANCE = 1.005;
/** JPEG qualities that office programs and browsers use too. */
const JPEG = { photo: 85, drawing: 90, mask: 90 };
/** Minimum size of an image that is worth recoding. */
const WORTHWHILE_BYTES = 4096;
/** An image within the limits is replaced only if the new size is at most this fraction of the original size. */
const WORTHWHILE = 0.9;

/**
 * Maximum number of samples decoded from all images of a document, about a hundred times as many as a usual document
 * has.
 */
const MAX_SAMPLES = 2 ** 34;

/** Replaces images of the file in memory; the caller writes the file. */
export async function limitImages(file: PdfFile, limits: ImageLimits, signal: AbortSignal): Promise<LimitedImages> {
  const { images, softMasks, inline } = findImageUses(file);
  const matted = sizesOfMatted(file, images, limits);
  let [replaced, left, samples] = [0, 0, 0];
  for (const [number, extent] of images) {
    signal.throwIfAborted();
    const reference = new Reference(number);
    const stream = file.stream(reference);
    const image = stream && readImage(file, stream.dictionary);
    if (!stream || !image || (limits.onlyBilevel && image.bits !== 1)) continue;
    const size = matted.get(number) ?? sizeFor(image, extent, limits.maxDpi);
    const role = softMasks.has(number) ? "soft-mask" : "image";
    samples += image.width * image.height * (image.colors?.channels ?? 1);
    const mayReplace = samples <= MAX_SAMPLES;
    if (mayReplace && replace(file, reference, { stream, image, role }, size, limits)) replaced++;
    else if (size.width < image.width || size.height < image.height) left++;
    await file.relieve();
  }
  for (const uses of Map.groupBy(inline, ({ stream }) => stream.number).values()) {
    signal.throwIfAborted();
    replaced += limitInline(file, uses, limits);
  }
  return { images: images.size + inline.length, replaced, left };
}

/** @returns the number of replaced images */
function limitInline(file: PdfFile, uses: readonly InlineUse[], limits: ImageLimits): number {
  const { maxDpi, lossless, onlyBilevel, memory } = limits;
  const { stream: reference } = uses[0]!;
  const stream = file.stream(reference);
  let replaced = 0;
  const changed =
    stream &&
    replaceInlineImages(file, stream, uses, (image, body, use) => {
      if (onlyBilevel && image.bits !== 1) return undefined;
      const size = sizeFor(image, use, maxDpi);
      if (size.width === image.width && size.height === image.height) return undefined;
      const jpeg = lossless ? {} : { jpeg: JPEG };
      const recoded = recodeImage(image, body, { ...size, role: "inline", limits: memory, ...jpeg });
      if (recoded) replaced++;
      return recoded;
    });
  if (changed) file.put(reference, changed);
  return replaced;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns the size in pixels at the maximum resolution; never more than the original. */
function sizeFor({ width, height }: Size, extent: Extent, maxDpi = Number.POSITIVE_INFINITY): Size {
  const most = (pixels: number, points: number) => {
    const allowed = (points * maxDpi) / POINTS_PER_INCH;
    return pixels <= allowed * TOLERANCE ? pixels : Math.max(1, Math.floor(allowed + 1e-6));
  };
  return { width: most(width, extent.width), height: most(height, extent.height) };
}

/**
 * Returns the sizes of images with preblended colors, which must equal the sizes of their masks (ISO 32000-1,
 * 11.6.5.3).
 */
function sizesOfMatted(file: PdfFile, images: ReadonlyMap<number, Extent>, { maxDpi }: ImageLimits): Map<number, Size> {
  const sizes = new Map<number, Size>();
  for (const [number, extent] of images) {
    const dictionary = file.dictionary(new Reference(number));
    const image = dictionary && readImage(file, dictionary);
    const mask = image?.softMask && file.dictionary(image.softMask);
    if (!image?.softMask || !mask?.has("Matte")) continue;
    const size = sizeFor(image, extent, maxDpi);
    sizes.set(number, size);
    sizes.set(image.softMask.number, size);
  }
  return sizes;
}

/** An image XObject of a file. */
interface StoredImage {
  readonly stream: PdfStream;
  readonly image: PdfImage;
  readonly role: RecodeOptions["role"];
}

function replace(
  file: PdfFile,
  reference: Reference,
  { stream, image, role }: StoredImage,
  { width, height }: Size,
  { lossless, memory }: ImageLimits,
): boolean {
  const isAbove = width < image.width || height < image.height;
  const isMatted = image.matte || (image.softMask !== undefined && file.dictionary(image.softMask)?.has("Matte"));
  if (!isAbove && (lossless || isMatted || role === "soft-mask" || !isWorthATry(image, stream.body))) return false;
  const jpeg = lossless || isMatted ? {} : { jpeg: JPEG };
  const recoded = recodeImage(image, stream.body, { width, height, role, limits: memory, ...jpeg });
  if (!recoded) return false;
  if (!isAbove && recoded.bytes.length > stream.body.raw().length * WORTHWHILE) return false;
  const { bytes, dictionary } = recoded;
  file.budget.charge(bytes.length);
  file.put(reference, new PdfStream(dictionary, bodyOf(bytes)));
  return true;
}

/** Reports whether an image might be a photograph that is not yet a JPEG. */
function isWorthATry({ filters, isStencil, bits, hasColorKey }: PdfImage, body: StreamBody): boolean {
  const last = filters.at(-1) ?? "";
  if (isStencil || hasColorKey || bits === 1 || ["DCTDecode", "JPXDecode"].includes(last)) return false;
  return body.raw().length >= WORTHWHILE_BYTES;
}

/** Returns the body of new bytes. Its `decoded` must not be called. */
function bodyOf(bytes: Uint8Array): StreamBody {
  return {
    raw: () => bytes,
    decoded() {
      throw new EngineFailure("unsupported", "an image that was made here");
    },
  };
}

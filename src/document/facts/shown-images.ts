// Lists the images that pages show, with the properties that their dictionaries and data state.
import { contains } from "../contract/contains.ts";
import { readJpxHeader } from "../formats/jpx/header.ts";
import { contentBytes, type DrawnImage } from "../images/draws.ts";
import { readImage } from "../images/image.ts";
import { type PlacedImage, placedImages } from "../images/placed-images.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import type { Dictionary, PdfStream } from "../objects/values.ts";
import { unitOf } from "../pages/page-size.ts";
import { type PageSource, pagesOf } from "./shown-content.ts";

export interface ImageFact {
  /** The page number, from 1. */
  readonly page: number;
  readonly type: "image" | "stencil" | "mask" | "soft-mask";
  readonly width: number;
  readonly height: number;
  /** The family of the color space, such as `ICCBased`; empty if the image has none. */
  readonly color_space: string;
  /** Bits per sample; 0 if they are unknown. */
  readonly bits: number;
  /** The last filter, which codes the samples; empty without one. */
  readonly filter: string;
  /** Pixels per inch where the page shows the image largest. */
  readonly x_resolution: number;
  readonly y_resolution: number;
}

/** Approximate memory per image. */
const IMAGE_BYTES = 500;
/** Maximum number of uses of images on a page. */
const MAX_USES = 20_000;
const POINTS_PER_INCH = 72;
const EVERYWHERE = [-Infinity, -Infinity, Infinity, Infinity] as const;
const MASKS = { SMask: "soft-mask", Mask: "mask" } as const;
/** Full names of the color spaces of inline images (ISO 32000-1, table 93). */
const FULL: Readonly<Record<string, string>> = { G: "DeviceGray", RGB: "DeviceRGB", CMYK: "DeviceCMYK", I: "Indexed" };

type Properties = Omit<ImageFact, "page" | "x_resolution" | "y_resolution">;

/** Returns the images of each page, each once, in the order in which the page shows them. */
export async function listImages(source: PageSource): Promise<readonly ImageFact[]> {
  const { file } = source;
  const found: ImageFact[] = [];
  const known = new Map<number, readonly Properties[]>();
  let number = 0;
  for await (const page of pagesOf(source)) {
    number++;
    for (const { image, matrix } of imagesOn(file, page)) {
      const key = image.reference?.number;
      const properties = (key !== undefined && known.get(key)) || propertiesOf(file, image);
      if (key !== undefined) known.set(key, properties);
      const [a, b, c, d] = matrix;
      for (const one of properties) {
        file.budget.charge(IMAGE_BYTES);
        const x_resolution = resolution(one.width, Math.hypot(a, b));
        found.push({ page: number, ...one, x_resolution, y_resolution: resolution(one.height, Math.hypot(c, d)) });
      }
    }
  }
  return found;
}

/** Reports whether a page can show images. Reading the operators of a page takes much longer. */
function mayShowImages(file: PdfFile, page: Dictionary): boolean {
  const resources = file.dictionary(page.get("Resources"));
  const valuesOf = (category: string) => file.dictionary(resources?.get(category))?.values() ?? [];
  if (["XObject", "Pattern", "ExtGState"].some((category) => valuesOf(category).length > 0)) return true;
  if (valuesOf("Font").some((font) => file.name(file.dictionary(font)?.get("Subtype")) === "Type3")) return true;
  if (file.array(page.get("Annots"))?.some((annotation) => file.dictionary(annotation)?.has("AP"))) return true;
  const contents = page.get("Contents");
  return (file.array(contents) ?? [contents]).some((part) => contains(contentBytes(file.stream(part)), "BI"));
}

/** Returns the images on a page, each where it is largest, in the order in which the page shows them first. */
export function imagesOn(file: PdfFile, page: Dictionary): Iterable<PlacedImage> {
  if (!mayShowImages(file, page)) return [];
  const unit = unitOf(file, page);
  const matrix = [unit, 0, 0, unit, 0, 0] as const;
  const largest = new Map<unknown, PlacedImage>();
  const options = { matrix, bounds: EVERYWHERE, annotations: true, limit: MAX_USES };
  for (const placed of placedImages(file, page, options)) {
    const key = placed.image.reference?.number ?? placed.image.dictionary;
    const known = largest.get(key);
    if (!known || areaOf(placed) > areaOf(known)) largest.set(key, placed);
  }
  return largest.values();
}

const areaOf = ({ matrix: [a, b, c, d] }: PlacedImage): number => Math.abs(a * d - b * c);

/** Returns the properties of an image, and of its masks. */
function propertiesOf(file: PdfFile, { dictionary, reference, spaces }: DrawnImage): readonly Properties[] {
  const own = propertiesIn(file, dictionary, file.stream(reference), spaces);
  const masks = Object.entries(MASKS).map(([key, type]) => {
    const mask = file.stream(dictionary.get(key));
    const properties = mask && propertiesIn(file, mask.dictionary, mask);
    return properties && { ...properties, type };
  });
  return [own, ...masks].filter((one) => one !== undefined);
}

/** @param stream undefined for an inline image */
function propertiesIn(
  file: PdfFile,
  dictionary: Dictionary,
  stream: PdfStream | undefined,
  spaces?: Dictionary,
): Properties | undefined {
  const image = readImage(file, dictionary, spaces);
  if (!image) return undefined;
  const { width, height, filters, colors, isStencil } = image;
  const filter = filters.at(-1) ?? "";
  const jpx = filter === "JPXDecode" && stream ? readJpxHeader(stream.body.raw()) : undefined;
  const space = colors?.space;
  const family = (colors?.palette ? "Indexed" : file.name(file.array(space)?.[0] ?? space)) ?? "";
  const color_space = FULL[family] ?? family;
  return { type: isStencil ? "stencil" : "image", width, height, color_space, bits: jpx?.bits ?? image.bits, filter };
}

const resolution = (pixels: number, points: number): number =>
  points > 0 ? Math.round((pixels / points) * POINTS_PER_INCH * 10) / 10 : 0;

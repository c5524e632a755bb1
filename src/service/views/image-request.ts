// Resolves the parameters in a URL to the size and region of a page image, within the limits.

import { LIMITS } from "../../document/contract/limits.ts";
import type { Size } from "../../document/engines/mupdf/page.ts";
import type { Region, Rotation } from "../../document/pictures/page-view.ts";
import type { RenderPageParams } from "../../operations/render-page.ts";
import { outOfRange } from "../http/contract/errors.ts";

export type PageImageParams = Omit<RenderPageParams, "page">;

/** A parsed request of the IIIF Image API 3.0, section 4. */
export interface IiifImageRequest {
  readonly region: RequestedRegion;
  readonly size: RequestedSize;
  readonly mirrored: boolean;
  readonly turn: Rotation;
  readonly quality: Quality;
  readonly format: PageImageFormat;
}

export type PageImageFormat = RenderPageParams["format"];
export const QUALITIES = ["default", "color", "gray", "bitonal"] as const;
export type Quality = (typeof QUALITIES)[number];

type Numbers = readonly [x: number, y: number, width: number, height: number];
export type RequestedRegion =
  | { readonly kind: "full" }
  | { readonly kind: "square" }
  | { readonly kind: "pixels"; readonly numbers: Numbers }
  | { readonly kind: "percent"; readonly numbers: Numbers };

export interface RequestedSize {
  readonly kind: "max" | "percent" | "exact" | "within";
  /** True if upscaling is allowed: the image can be larger than the region. */
  readonly isLarger: boolean;
  readonly percent?: number;
  readonly width?: number;
  readonly height?: number;
  readonly text: string;
}

/** Resolution of a page at its full size. */
const FULL_DPI = 300;
const POINTS_PER_INCH = 72;
/** JPEG quality for the format `jpg`, because IIIF URLs have no parameter for it. */
const JPEG_QUALITY = 85;

/**
 * Returns the full size of a page in pixels: at 300 dpi, or less if a side would be too long. @param page size in
 * points
 */
export function fullSize(page: Size): Size {
  const scale = Math.min(FULL_DPI / POINTS_PER_INCH, LIMITS.pageSidePixels / Math.max(page.width, page.height));
  const side = (points: number) => Math.max(1, Math.round(points * scale));
  return { width: side(page.width), height: side(page.height) };
}

const dpiOf = (full: Size, page: Size) => (full.width / page.width) * POINTS_PER_INCH;

/**
 * @param page size in points
 * @throws ServiceError 400 if the region is outside the page, or the size exceeds the limits
 */
export function resolvePageImage(request: IiifImageRequest, page: Size): PageImageParams {
  const full = fullSize(page);
  const region = regionOf(request.region, full);
  const size = sizeOf(request.size, region, LIMITS.pageImageDpi / dpiOf(full, page));
  const { mirrored, turn, quality, format } = request;
  return {
    picture: { full, region, size, mirrored, turn },
    format,
    colorModel: quality === "gray" || quality === "bitonal" ? "gray" : "rgb",
    bitonal: quality === "bitonal",
    dpi: Math.max(1, Math.round((dpiOf(full, page) * size.width) / region.width)),
    jpegQuality: JPEG_QUALITY,
  };
}

function regionOf(request: RequestedRegion, full: Size): Region {
  if (request.kind === "full") return { left: 0, top: 0, ...full };
  if (request.kind === "square") {
    const side = Math.min(full.width, full.height);
    const middle = (length: number) => Math.floor((length - side) / 2);
    return { left: middle(full.width), top: middle(full.height), width: side, height: side };
  }
  const { kind, numbers } = request;
  const { width, height } = full;
  const of = (length: number, number: number) => (kind === "percent" ? Math.round((length * number) / 100) : number);
  const [left, top] = [of(width, numbers[0]), of(height, numbers[1])];
  const right = Math.min(width, left + of(width, numbers[2]));
  const bottom = Math.min(height, top + of(height, numbers[3]));
  if (right <= left || bottom <= top) {
    throw outOfRange("region", `${kind === "percent" ? "pct:" : ""}${numbers.join(",")}`);
  }
  return { left, top, width: right - left, height: bottom - top };
}

/** @param largest maximum factor by which a region can be upscaled */
function sizeOf(request: RequestedSize, region: Size, largest: number): Size {
  const { kind, text, isLarger } = request;
  const { pageImageSidePixels: side, pageImagePixels: area } = LIMITS;
  const maxScale = Math.min(
    side / Math.max(region.width, region.height),
    Math.sqrt(area / (region.width * region.height)),
  );
  const most = isLarger ? Math.min(largest, maxScale) : Math.min(1, maxScale);
  switch (kind) {
    case "max":
      return scaled(region, most);
    case "within": {
      const factor = Math.min(request.width! / region.width, request.height! / region.height);
      // The standard would return the region unchanged, but its official validator requires an error
      // (decisions/0042-full-size-of-a-page.md).
      if (factor > 1 && !isLarger) throw outOfRange("size", text);
      return factor <= most ? nearest(region, factor) : scaled(region, most);
    }
    case "percent":
      return checked(proportional(region, request.percent! / 100), request, region, largest);
    case "exact": {
      const { width, height } = request;
      const size =
        width !== undefined && height !== undefined
          ? { width, height }
          : proportional(region, width === undefined ? height! / region.height : width / region.width);
      return checked({ ...size, ...(width && { width }), ...(height && { height }) }, request, region, largest);
    }
  }
}

const proportional = ({ width, height }: Size, factor: number): Size => ({
  width: Math.round(width * factor),
  height: Math.round(height * factor),
});

const nearest = (region: Size, factor: number): Size => {
  const { width, height } = proportional(region, factor);
  return { width: Math.max(1, width), height: Math.max(1, height) };
};

/**
 * Scales a region, and rounds the sides down. A side that is below an integer only by a rounding error becomes this
 * integer.
 */
function scaled(region: Size, factor: number): Size {
  const side = (length: number) => Math.max(1, Math.floor(length * factor + 1e-6));
  return { width: side(region.width), height: side(region.height) };
}

function checked(size: Size, { isLarger, text }: RequestedSize, region: Size, largest: number): Size {
  const { width, height } = size;
  const most = isLarger ? largest : 1;
  const isWithin =
    Math.min(width, height) >= 1 &&
    Math.max(width, height) <= LIMITS.pageImageSidePixels &&
    width * height <= LIMITS.pageImagePixels &&
    width <= Math.ceil(region.width * most) &&
    height <= Math.ceil(region.height * most);
  if (!isWithin) throw outOfRange("size", text);
  return size;
}

// Parses the paths of image requests (IIIF Image API 3.0, section 4), and formats canonical paths (section 4.7).

import type { Rotation } from "../../../document/pictures/page-view.ts";
import { outOfRange } from "../../http/contract/errors.ts";
import {
  type IiifImageRequest,
  type PageImageFormat,
  type PageImageParams,
  QUALITIES,
  type Quality,
  type RequestedRegion,
  type RequestedSize,
} from "../image-request.ts";

const PIXELS = /^(\d{1,9}),(\d{1,9}),(\d{1,9}),(\d{1,9})$/;
const NUMBER = "(\\d{1,9}(?:\\.\\d{1,20})?)";
const PERCENTS = new RegExp(`^pct:${NUMBER},${NUMBER},${NUMBER},${NUMBER}$`);
const PERCENT_SIZE = new RegExp(`^pct:${NUMBER}$`);
const EXACT_SIZE = /^(\d{1,9})?,(\d{1,9})?$/;
const SIZE_WITHIN = /^!(\d{1,9}),(\d{1,9})$/;
const ROTATION = new RegExp(`^(!?)${NUMBER}$`);
const FORMATS: readonly PageImageFormat[] = ["jpg", "png", "tif", "gif"];

/**
 * @param segments the decoded path segments: region, size, rotation, and quality with format
 * @throws ServiceError 400 for the first invalid segment
 */
export function parseImagePath([
  region = "",
  size = "",
  rotation = "",
  last = "",
]: readonly string[]): IiifImageRequest {
  const dot = last.lastIndexOf(".");
  const [quality, format] = dot < 0 ? [last, ""] : [last.slice(0, dot), last.slice(dot + 1)];
  return {
    region: parseRegion(region),
    size: parseSize(size),
    ...parseRotation(rotation),
    quality: oneOf<Quality>(QUALITIES, quality, "quality"),
    format: oneOf(FORMATS, format, "format"),
  };
}

function parseRegion(text: string): RequestedRegion {
  if (text === "full" || text === "square") return { kind: text };
  const match = PIXELS.exec(text) ?? PERCENTS.exec(text);
  if (!match) throw outOfRange("region", text);
  const [x, y, width, height] = match.slice(1).map(Number) as [number, number, number, number];
  return { kind: text.startsWith("pct:") ? "percent" : "pixels", numbers: [x, y, width, height] };
}

function parseSize(text: string): RequestedSize {
  const isLarger = text.startsWith("^");
  const sizeText = isLarger ? text.slice(1) : text;
  const common = { text, isLarger };
  if (sizeText === "max") return { kind: "max", ...common };
  const percent = PERCENT_SIZE.exec(sizeText)?.[1];
  if (percent !== undefined) return { kind: "percent", percent: Number(percent), ...common };
  const within = SIZE_WITHIN.exec(sizeText);
  const [, width, height] = within ?? EXACT_SIZE.exec(sizeText) ?? [];
  const sides = { ...(width && { width: Number(width) }), ...(height && { height: Number(height) }) };
  const lengths = Object.values(sides);
  if (lengths.length === 0 || lengths.includes(0)) throw outOfRange("size", text);
  return { kind: within ? "within" : "exact", ...sides, ...common };
}

function parseRotation(text: string): { readonly mirrored: boolean; readonly turn: Rotation } {
  const [, mirrored, degrees] = ROTATION.exec(text) ?? [];
  const turn =
    degrees === undefined ? undefined : ([0, 90, 180, 270] as const).find((turn) => turn === Number(degrees));
  if (turn !== undefined) return { mirrored: mirrored === "!", turn };
  if (Number(degrees) === 360) return { mirrored: mirrored === "!", turn: 0 };
  throw outOfRange("rotation", text);
}

function oneOf<T extends string>(words: readonly T[], text: string, parameter: string): T {
  const word = words.find((word) => word === text);
  if (word === undefined) throw outOfRange(parameter, text);
  return word;
}

/** Returns the canonical path of a page image, relative to the URI of its page. */
export function canonicalPath(
  { picture, format }: PageImageParams,
  quality: Quality,
  requestedSize: RequestedSize,
): string {
  const { full, region, size, turn, mirrored } = picture;
  const isWhole = region.width === full.width && region.height === full.height;
  const regionText = isWhole ? "full" : `${region.left},${region.top},${region.width},${region.height}`;
  const isEnlarged = size.width > region.width || size.height > region.height;
  const isSame = size.width === region.width && size.height === region.height;
  const isMax = isSame || requestedSize.kind === "max";
  const extent = `${isEnlarged ? "^" : ""}${isMax ? "max" : `${size.width},${size.height}`}`;
  return `${regionText}/${extent}/${mirrored ? "!" : ""}${turn}/${quality}.${format}`;
}

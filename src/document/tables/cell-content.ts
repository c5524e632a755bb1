// The content of a cell: lines of text, or an image. A cell that goes on, on the next page, is divided between lines.
import type { ImageForm } from "../pages/image-form.ts";
import type { Line } from "../typesetting/layout.ts";
import type { SetText, Typesetter } from "../typesetting/typesetter.ts";
import type { CellLook } from "./cell-look.ts";
import type { GridCell } from "./grid.ts";

export interface CellImage {
  readonly image: ImageForm;
  /** Size on the page, in points. */
  readonly width: number;
  readonly height: number;
}

export type CellContent = { readonly lines: readonly Line[] } | CellImage;

const NO_CONTENT: CellContent = { lines: [] };

/** Positions that differ less are equal, in points. */
export const TOLERANCE = 0.01;

export function heightOf(content: CellContent): number {
  if ("image" in content) return content.height;
  const [first, last] = [content.lines[0], content.lines.at(-1)];
  return first && last ? first.ascent + first.y - last.y + last.descent : 0;
}

export const widthOf = (content: CellContent): number =>
  "image" in content ? content.width : content.lines.reduce((most, { width }) => Math.max(most, width), 0);

export const isEmpty = (content: CellContent): boolean => "lines" in content && content.lines.length === 0;

/** Divides a content into the part that fits in a height, and the rest. An image is not divided. */
export function divide(content: CellContent, height: number): readonly [CellContent, CellContent] {
  if (heightOf(content) <= height + TOLERANCE) return [content, NO_CONTENT];
  if ("image" in content) return [NO_CONTENT, content];
  const { lines } = content;
  const first = lines[0]!;
  const end = lines.findIndex((line) => first.ascent + first.y - line.y + line.descent > height + TOLERANCE);
  const count = end < 0 ? lines.length : end;
  return [{ lines: lines.slice(0, count) }, { lines: lines.slice(count) }];
}

export interface CellTextOptions {
  /** Width of the cell without its padding; undefined to measure the text. */
  readonly innerWidth?: number;
  readonly isTableRightToLeft: boolean;
}

/** @returns undefined if the cell has no text */
export function textOf({ source, look }: GridCell, options: CellTextOptions): SetText | undefined {
  if (!source.text) return undefined;
  const isRightToLeft = source.is_rtl ?? (options.isTableRightToLeft || undefined);
  return {
    ...{ text: source.text, font: look.font, fontName: look.fontName, size: look.size },
    ...{ color: look.color, opacity: look.opacity },
    ...(isRightToLeft === undefined ? {} : { isRightToLeft }),
    ...(source.no_wrap || options.innerWidth === undefined ? {} : { maxWidth: options.innerWidth }),
  };
}

/** Returns the width of a cell without its padding. */
export const innerWidthOf = (width: number, { padding }: CellLook): number =>
  Math.max(0, width - padding.left - padding.right);

interface CellServices {
  readonly typesetter: Typesetter;
  /** The image of the cell, if it has one. */
  readonly image: ImageForm | undefined;
  readonly signal: AbortSignal;
}

export async function contentOf(
  cell: GridCell,
  innerWidth: number,
  isTableRightToLeft: boolean,
  { typesetter, image, signal }: CellServices,
): Promise<CellContent> {
  if (image) return fitted(cell, image, innerWidth);
  const text = textOf(cell, { innerWidth, isTableRightToLeft });
  return text ? { lines: (await typesetter.layOut(text, signal)).lines } : NO_CONTENT;
}

/** Returns the size of an image on the page. If only one side is given, the proportions stay. */
export function sizeOf({ size }: ImageForm, wished: { readonly width?: number; readonly height?: number } = {}) {
  const scale = (wished.width ?? 0) / size.width || (wished.height ?? 0) / size.height || 1;
  return { width: wished.width ?? size.width * scale, height: wished.height ?? size.height * scale };
}

/** Makes an image smaller if it does not fit in its cell. */
function fitted({ source, look }: GridCell, image: ImageForm, innerWidth: number): CellContent {
  const { width, height } = sizeOf(image, source.image);
  const { top, bottom } = look.padding;
  const innerHeight = source.fixed_height === undefined ? height : Math.max(0, source.fixed_height - top - bottom);
  const scale = Math.min(1, innerWidth / width, innerHeight / height);
  return { image, width: width * scale, height: height * scale };
}

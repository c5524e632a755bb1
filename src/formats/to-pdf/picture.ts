// A picture as PDF can show it: what readers of file formats give, and picture-pdf.ts writes. Knows no file format.
import type { Chunks } from "../../core/operation.ts";

/** One page. */
export interface Picture {
  /** Pixels, as they are stored: before {@link Picture.orientation} is applied. */
  readonly width: number;
  readonly height: number;
  readonly orientation: Orientation;
  /** Of the stored picture. @default 72 dots per inch */
  readonly density?: Density;
  /** Side by side they are the picture; usually it is one. They may reach beyond its right and lower edge, where they are cut. */
  readonly parts: readonly PicturePart[];
}

/** TIFF 6.0 section 8, and EXIF: where the first row and the first column are seen. 1 is upright. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Dots per inch. */
export interface Density {
  readonly x: number;
  readonly y: number;
}

export interface PicturePart {
  /** Pixels from the left and from the top of the stored picture. */
  readonly x: number;
  readonly y: number;
  readonly image: PdfImage;
  /** Whether the image's first row is the lowest one. */
  readonly isBottomUp?: boolean;
}

/** An image XObject (ISO 32000-1, 8.9.5). */
export interface PdfImage {
  readonly width: number;
  readonly height: number;
  readonly bitsPerComponent: 1 | 2 | 4 | 8 | 16;
  readonly colorSpace: ColorSpace;
  readonly filter: "CCITTFaxDecode" | "DCTDecode" | "FlateDecode";
  /** A dictionary in PDF's syntax. */
  readonly decodeParms?: string;
  readonly decode?: readonly number[];
  /** Least and greatest sample of each component that is transparent (8.9.6.4). */
  readonly colorKey?: readonly number[];
  readonly softMask?: PdfImage;
  /** Of the data, in bytes, where it is known beforehand. */
  readonly size?: number;
  /** Reads the data; once. */
  data(): Chunks;
}

export type ColorSpace =
  | { readonly kind: "gray" | "rgb" | "cmyk" }
  | { readonly kind: "icc"; readonly profile: Uint8Array; readonly components: 1 | 3 | 4 }
  /** In PDF's syntax: CalGray, CalRGB, Lab. */
  | { readonly kind: "calibrated"; readonly array: string }
  /** @property palette 3 bytes (rgb), whatever the base */
  | { readonly kind: "indexed"; readonly base: ColorSpace; readonly palette: Uint8Array };

export const GRAY: ColorSpace = { kind: "gray" };
export const RGB: ColorSpace = { kind: "rgb" };
export const CMYK: ColorSpace = { kind: "cmyk" };

/** Values of `Decode` that make every component its opposite. */
export const inverted = (components: number): number[] => Array.from({ length: 2 * components }, (_, i) => 1 - (i % 2));

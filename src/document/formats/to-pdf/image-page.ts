// Describes images in terms of PDF. Readers of image files return such descriptions, and image-pdf.ts writes the
// images.
import type { Chunks } from "../../contract/operation.ts";

/** The image of one page. */
export interface ImagePage {
  /** Stored pixels, before {@link ImagePage.orientation} is applied. */
  readonly width: number;
  readonly height: number;
  readonly orientation: Orientation;
  /** Resolution of the stored image. @default 72 dots per inch */
  readonly density?: Density;
  /**
   * The parts of the image, in a grid; usually one part. Parts are cropped at the right and lower edges of the image.
   */
  readonly parts: readonly ImagePart[];
  /** Number of further frames or pictures that are left out. @default none */
  readonly furtherFrames?: number;
}

/** Displayed position of the first row and the first column (TIFF 6.0 section 8, and EXIF). 1 is upright. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Dots per inch. */
export interface Density {
  readonly x: number;
  readonly y: number;
}

export interface ImagePart {
  /** Pixels from the left and from the top of the stored image. */
  readonly x: number;
  readonly y: number;
  readonly image: ImageXObject;
  /** True if the first row is the lowest row. */
  readonly isBottomUp?: boolean;
}

/** An image XObject (ISO 32000-1, 8.9.5). */
export interface ImageXObject {
  readonly width: number;
  readonly height: number;
  readonly bitsPerComponent: 1 | 2 | 4 | 8 | 16;
  readonly colorSpace: ColorSpace;
  readonly filter: "CCITTFaxDecode" | "DCTDecode" | "FlateDecode";
  /** A dictionary in PDF syntax. */
  readonly decodeParms?: string;
  readonly decode?: readonly number[];
  /** Minimum and maximum transparent sample of each component (8.9.6.4). */
  readonly colorKey?: readonly number[];
  readonly softMask?: ImageXObject;
  /** Size of the data in bytes, if known in advance. */
  readonly size?: number;
  /** Reads the data; callable only once. */
  data(): Chunks;
}

export type ColorSpace =
  | { readonly kind: "gray" | "rgb" | "cmyk" }
  | { readonly kind: "icc"; readonly profile: Uint8Array; readonly components: 1 | 3 | 4 }
  /** An array in PDF syntax: CalGray, CalRGB or Lab. */
  | { readonly kind: "calibrated"; readonly array: string }
  /** @property palette 3 bytes (RGB) per entry, for every base */
  | { readonly kind: "indexed"; readonly base: ColorSpace; readonly palette: Uint8Array };

export const GRAY: ColorSpace = { kind: "gray" };
export const RGB: ColorSpace = { kind: "rgb" };
export const CMYK: ColorSpace = { kind: "cmyk" };

/** Returns a `Decode` array that inverts every component. */
export const inverted = (components: number): number[] => Array.from({ length: 2 * components }, (_, i) => 1 - (i % 2));

// Defines pixels on their way from a renderer to an encoder, in bands of rows. Knows nothing about PDF or any file
// format.

export const COLOR_MODELS = ["gray", "rgb", "rgba", "cmyk", "lab"] as const;
export type ColorModel = (typeof COLOR_MODELS)[number];

/** Number of samples of one pixel. */
export const CHANNELS: Readonly<Record<ColorModel, number>> = { gray: 1, rgb: 3, rgba: 4, cmyk: 4, lab: 3 };

/** Complete rows of a picture. */
export interface Band {
  /** Index of the first row, from 0 at the top of the picture. */
  readonly top: number;
  readonly rows: number;
  /**
   * `rows * width * CHANNELS[colorModel]` bytes: interleaved, tightly packed, 8 bits per sample, top row first. rgba:
   * straight alpha (not premultiplied). cmyk: 0 = no ink. lab: L 0..255 for 0..100, a and b offset by 128. Valid only
   * until the next band is requested, because it is a view of an engine's memory. The receiver may change the samples.
   */
  readonly samples: Uint8Array;
}

/** A picture that can be read band by band, more than once. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  /** Resolution in dots per inch, horizontally and vertically. */
  readonly dpi: number;
  readonly colorModel: ColorModel;
  /** The ICC profile that defines the colors of the samples, if the file should include it. */
  readonly iccProfile?: Uint8Array;
  /** Bands without gaps or overlaps; heights may differ. `bottom-up` starts with the band that holds the last row. */
  bands(order?: "top-down" | "bottom-up"): Iterable<Band>;
}

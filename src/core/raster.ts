// Pixels on their way from a renderer to an encoder, a band of rows at a time. Knows neither PDF nor any file format.

export const COLOR_MODELS = ["gray", "rgb", "rgba", "cmyk", "lab"] as const;
export type ColorModel = (typeof COLOR_MODELS)[number];

/** Samples of one pixel. */
export const CHANNELS: Readonly<Record<ColorModel, number>> = { gray: 1, rgb: 3, rgba: 4, cmyk: 4, lab: 3 };

/** Whole rows of a picture. */
export interface Band {
  /** Index of its first row, from 0 at the top of the picture. */
  readonly top: number;
  readonly rows: number;
  /**
   * `rows * width * CHANNELS[colorModel]` bytes: interleaved, tightly packed, 8 bits a sample, upper row first.
   * rgba: alpha straight (not premultiplied). cmyk: 0 = no ink. lab: L 0..255 for 0..100, a and b offset by 128.
   * Valid only until the next band is asked for: it is a view of an engine's memory. The receiver may change the samples.
   */
  readonly samples: Uint8Array;
}

/** A picture that can be read band by band, more than once. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  /** Dots per inch, both ways. */
  readonly dpi: number;
  readonly colorModel: ColorModel;
  /** The profile that gives the samples their meaning, where it should travel with the file. */
  readonly iccProfile?: Uint8Array;
  /** Bands without gaps or overlaps; heights may differ. `bottom-up` starts with the band that holds the last row. */
  bands(order?: "top-down" | "bottom-up"): Iterable<Band>;
}

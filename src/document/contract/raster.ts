// Pixels between a renderer and an encoder, in bands of rows.

export const COLOR_MODELS = ["gray", "rgb", "rgba", "cmyk", "lab"] as const;
export type ColorModel = (typeof COLOR_MODELS)[number];

/** Samples per pixel. */
export const CHANNELS: Readonly<Record<ColorModel, number>> = { gray: 1, rgb: 3, rgba: 4, cmyk: 4, lab: 3 };

/** Complete rows of a raster. */
export interface Band {
  /** Index of the first row, from 0 at the top of the raster. */
  readonly top: number;
  readonly rows: number;
  /**
   * `rows * width * CHANNELS[colorModel]` bytes: interleaved, tightly packed, 8 bits per sample, top row first. rgba:
   * straight alpha (not premultiplied). cmyk: 0 = no ink. lab: L 0..255 for 0..100, a and b offset by 128. The bytes
   * are a view of the engine's memory, valid only until the next band is requested. The receiver can change the
   * samples.
   */
  readonly samples: Uint8Array;
}

/** An image that can be read repeatedly, band by band. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  /** Resolution in dots per inch, horizontally and vertically. */
  readonly dpi: number;
  readonly colorModel: ColorModel;
  /** The ICC profile of the samples, if the file should include it. */
  readonly iccProfile?: Uint8Array;
  /**
   * Returns bands without gaps or overlaps. Their heights can differ. `bottom-up` starts with the band that contains
   * the last row.
   */
  bands(order?: "top-down" | "bottom-up"): Iterable<Band>;
}

/** Reads all bands into memory, from the first row to the last. */
export function samplesOf({ width, height, colorModel, bands }: Raster): Uint8Array {
  const rowBytes = width * CHANNELS[colorModel];
  const samples = new Uint8Array(rowBytes * height);
  for (const band of bands()) samples.set(band.samples.subarray(0, band.rows * rowBytes), band.top * rowBytes);
  return samples;
}

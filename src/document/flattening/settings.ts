// Resolutions of the images that replace transparent regions, for each quality, and limits of flattening.

export type FlatteningQuality = "low" | "medium" | "high";
export const FLATTENING_QUALITIES = ["low", "medium", "high"] as const satisfies readonly FlatteningQuality[];

export interface Resolutions {
  /** Resolution of photographs, gradients and shadows, which have no edges. */
  readonly gradientDpi: number;
  /** Resolution of text, lines and shapes, which have edges. */
  readonly lineArtDpi: number;
}

export const RESOLUTIONS: Readonly<Record<FlatteningQuality, Resolutions>> = {
  low: { gradientDpi: 144, lineArtDpi: 288 },
  medium: { gradientDpi: 150, lineArtDpi: 300 },
  high: { gradientDpi: 300, lineArtDpi: 1200 },
};

/**
 * Maximum number of images on a page. If more are needed, a few images on top of the page replace all its transparency.
 */
export const MAX_PICTURES = 40;
/** Maximum number of runs that are drawn separately. */
export const MAX_RUNS = 300;
/** Maximum product of runs and operations for drawing each run separately. */
export const MAX_STEPS = 3_000_000;
/**
 * Maximum number of image samples that are decoded to draw the runs of a page separately. Decoding 100 million samples
 * takes about one second.
 */
export const MAX_DECODED = 4_000_000_000;
export const DRAWINGS_OF_RUN = 6;
/** Resolution at which changes are located, before they are drawn at the final resolution. */
export const COARSE_DPI = 96;
export const MAX_COARSE_PIXELS = 2_000_000;
/** Resolution at which the areas covered by later objects are found. */
export const SEEN_DPI = 150;
export const MAX_SEEN_PIXELS = 5_000_000;
/** Maximum size of one image. A larger image gets a lower resolution. */
export const MAX_PICTURE_PIXELS = 12_000_000;

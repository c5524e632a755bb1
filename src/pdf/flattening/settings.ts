// What the qualities mean: dots per inch of pictures that take the place of transparent regions, and the bounds of the work.

export type FlatteningQuality = "low" | "medium" | "high";
export const FLATTENING_QUALITIES = ["low", "medium", "high"] as const satisfies readonly FlatteningQuality[];

export interface Resolutions {
  /** For what has no edges: photographs, gradients, shadows. */
  readonly gradientDpi: number;
  /** For what has: text, lines, shapes. */
  readonly lineArtDpi: number;
}

export const RESOLUTIONS: Readonly<Record<FlatteningQuality, Resolutions>> = {
  low: { gradientDpi: 144, lineArtDpi: 288 },
  medium: { gradientDpi: 150, lineArtDpi: 300 },
  high: { gradientDpi: 300, lineArtDpi: 1200 },
};

/** Where a page would need more pictures than this, one picture takes the place of all that is transparent. */
export const MAX_PICTURES = 40;
/** Runs that are looked at one by one, where a page has few enough operations. */
export const MAX_RUNS = 300;
/** Operations that are gone through for that, counted as often as they are. */
export const MAX_STEPS = 3_000_000;
/** Where transparency is looked for before it is drawn finely. */
export const COARSE_DPI = 96;
export const MAX_COARSE_PIXELS = 2_000_000;
/** What later objects hide is told as finely as this. */
export const SEEN_DPI = 150;
export const MAX_SEEN_PIXELS = 5_000_000;
/** Of one picture: a finer one gets a lower resolution instead. */
export const MAX_PICTURE_PIXELS = 12_000_000;

// Controls which edges MuPDF smooths by anti-aliasing, and whether it interpolates images.
import { SMOOTHING } from "../../../../wasm/dist/mupdf-glue.js";
import type { Mupdf } from "./instance/mupdf.ts";
import type { Pointer } from "./instance/raw.ts";

/** The content whose edges are smoothed. */
export interface Smoothing {
  readonly text: boolean;
  readonly lines: boolean;
  readonly images: boolean;
}

/**
 * Levels for graphics, in the order of the context (`fz_aa_context`): horizontal and vertical samples of a pixel, the
 * weight of a sample, and bits. The next number is the bits of glyphs.
 */
const SMOOTH = [17, 15, 256, 8];
/** Paints every pixel that a shape touches (ISO 32000-1, 10.6.5), so that thin lines stay visible. */
const ANY_PART_OF_PIXEL = [1, 1, 65_280, 10];
const [SMOOTH_GLYPHS, JAGGED_GLYPHS] = [8, 0];
/** Position of a device's hints, in words, and the hint that forbids interpolation. */
const HINTS = 1;
const DO_NOT_INTERPOLATE = 1;

/**
 * Sets the levels of devices that are created later.
 * @throws Error if the engine's memory is not as expected
 */
export function setLevels({ raw }: Mupdf, { text, lines }: Smoothing): void {
  const levels = (raw.HEAPU32[SMOOTHING.context >> 2]! + SMOOTHING.levels) >> 2;
  const [samples] = raw.HEAPU32.subarray(levels);
  if (samples !== SMOOTH[0] && samples !== ANY_PART_OF_PIXEL[0]) throw new Error("no levels of anti-aliasing");
  raw.HEAPU32.set([...(lines ? SMOOTH : ANY_PART_OF_PIXEL), text ? SMOOTH_GLYPHS : JAGGED_GLYPHS], levels);
}

/** Makes a device repeat the pixels of enlarged images, instead of interpolating between them. */
export function repeatPixels({ raw }: Mupdf, device: Pointer): void {
  raw.HEAPU32[(device >> 2) + HINTS]! |= DO_NOT_INTERPOLATE;
}

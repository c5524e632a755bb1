// Cuts the white margins off a page. Draws the page once to find its content, and again to read it, because a page at a
// high resolution does not fit into memory.
import { CHANNELS, type ColorModel, type Raster } from "../contract/raster.ts";
import type { MupdfPage, RasterOptions } from "../engines/mupdf/page.ts";

const POINTS_PER_INCH = 72;
/** Maximum difference of a sample from white, out of 255, in a margin. */
const TOLERANCE = 5;
/** White in each color model. In rgba, a transparent pixel is blank too. */
const WHITE: Readonly<Record<ColorModel, readonly number[]>> = {
  gray: [255],
  rgb: [255, 255, 255],
  rgba: [255, 255, 255],
  cmyk: [0, 0, 0, 0],
  lab: [255, 128, 128],
};

/** Pixels from the left and from the top. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * Returns the content of a page with a margin. A page without content stays whole.
 * @param marginPoints at most the margin that the page has
 */
export function trimmed(page: MupdfPage, options: Omit<RasterOptions, "view">, marginPoints: number): Raster {
  const view = page.whole(options.dpi);
  const content = contentOf(page.raster(options));
  if (!content) return page.raster(options);
  const margin = Math.round((marginPoints * options.dpi) / POINTS_PER_INCH);
  const left = Math.max(0, content.left - margin);
  const top = Math.max(0, content.top - margin);
  const width = Math.min(view.width, content.right + margin) - left;
  const height = Math.min(view.height, content.bottom + margin) - top;
  return page.raster({ ...options, view: { ...view, left, top, width, height } });
}

/** Returns the smallest box around all pixels that are not blank; undefined if there are none. */
function contentOf({ width, colorModel, bands }: Pick<Raster, "width" | "colorModel" | "bands">): Box | undefined {
  const isBlank = blankTest(colorModel);
  const channels = CHANNELS[colorModel];
  let [left, top, right, bottom] = [width, -1, 0, 0];
  for (const band of bands()) {
    for (let row = 0; row < band.rows; row++) {
      const start = row * width;
      let first = 0;
      while (first < width && isBlank(band.samples, (start + first) * channels)) first++;
      if (first === width) continue;
      let end = width;
      while (end > right && isBlank(band.samples, (start + end - 1) * channels)) end--;
      left = Math.min(left, first);
      right = Math.max(right, end);
      if (top < 0) top = band.top + row;
      bottom = band.top + row + 1;
    }
  }
  return top < 0 ? undefined : { left, top, right, bottom };
}

function blankTest(colorModel: ColorModel): (samples: Uint8Array, at: number) => boolean {
  const white = WHITE[colorModel];
  const isWhite = (samples: Uint8Array, at: number) => {
    for (let index = 0; index < white.length; index++) {
      if (Math.abs(samples[at + index]! - white[index]!) > TOLERANCE) return false;
    }
    return true;
  };
  if (colorModel !== "rgba") return isWhite;
  return (samples, at) => samples[at + 3]! <= TOLERANCE || isWhite(samples, at);
}

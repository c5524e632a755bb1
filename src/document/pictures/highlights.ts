// Marks parts of a picture as a highlighter does.
import { CHANNELS, type Raster } from "../contract/raster.ts";

/** How much of each color a mark lets through: yellow; less light in gray. */
const LET_THROUGH = { rgb: [1, 0.93, 0.35], rgba: [1, 0.93, 0.35, 1], gray: [0.8] } as const;

/** @param boxes left, top, right and bottom of each part, from 0 to 1 */
export function highlighted(raster: Raster, boxes: readonly (readonly [number, number, number, number])[]): Raster {
  const { width, height, colorModel } = raster;
  if (colorModel !== "rgb" && colorModel !== "rgba" && colorModel !== "gray") return raster;
  const parts = boxes.map(([left, top, right, bottom]) => ({
    ...{ left: Math.max(0, Math.floor(left * width)), right: Math.min(width, Math.ceil(right * width)) },
    ...{ top: Math.max(0, Math.floor(top * height)), bottom: Math.min(height, Math.ceil(bottom * height)) },
  }));
  const channels = CHANNELS[colorModel];
  const factors = LET_THROUGH[colorModel];
  return {
    ...raster,
    *bands(order) {
      for (const band of raster.bands(order)) {
        for (const { left, right, top, bottom } of parts) {
          const last = Math.min(bottom, band.top + band.rows);
          for (let y = Math.max(top, band.top); y < last; y++) {
            const row = (y - band.top) * width * channels;
            for (let at = row + left * channels; at < row + right * channels; at++) {
              band.samples[at] = band.samples[at]! * factors[(at - row) % channels]!;
            }
          }
        }
        yield band;
      }
    },
  };
}

// Marks parts of a picture as a highlighter does.
import { CHANNELS, type Raster } from "../contract/raster.ts";

/** How much of each color a mark lets through: yellow; less light in gray. */
const LET_THROUGH = { rgb: [1, 0.93, 0.35], rgba: [1, 0.93, 0.35, 1], gray: [0.8] } as const;
/** Yellow ink of a mark in CMYK. */
const YELLOW = 150;

/** @param boxes left, top, right and bottom of each part, from 0 to 1 */
export function highlighted(raster: Raster, boxes: readonly (readonly [number, number, number, number])[]): Raster {
  const { width, height, colorModel } = raster;
  const change = colorModel === "lab" ? undefined : changeOf(colorModel);
  if (!change) throw new RangeError(`there are no marks in ${colorModel}`);
  const parts = boxes.map(([left, top, right, bottom]) => ({
    ...{ left: Math.max(0, Math.floor(left * width)), right: Math.min(width, Math.ceil(right * width)) },
    ...{ top: Math.max(0, Math.floor(top * height)), bottom: Math.min(height, Math.ceil(bottom * height)) },
  }));
  const channels = CHANNELS[colorModel];
  return {
    ...raster,
    *bands(order) {
      for (const band of raster.bands(order)) {
        for (const { left, right, top, bottom } of parts) {
          const last = Math.min(bottom, band.top + band.rows);
          for (let y = Math.max(top, band.top); y < last; y++) {
            const row = (y - band.top) * width * channels;
            for (let at = row + left * channels; at < row + right * channels; at++) {
              band.samples[at] = change(band.samples[at]!, (at - row) % channels);
            }
          }
        }
        yield band;
      }
    },
  };
}

/** Returns the function that changes a sample of a channel. */
function changeOf(colorModel: "rgb" | "rgba" | "gray" | "cmyk"): (sample: number, channel: number) => number {
  if (colorModel === "cmyk") return (sample, channel) => (channel === 2 ? Math.max(sample, YELLOW) : sample);
  const factors = LET_THROUGH[colorModel];
  return (sample, channel) => sample * factors[channel]!;
}

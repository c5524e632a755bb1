// Settings for compression to a target size, in the order of their losses.

import { type CompressionSettings, type ImageSettings, LEVEL_SETTINGS, type Level } from "./settings.ts";

const { low: LOW, medium: MEDIUM, high: HIGH } = LEVEL_SETTINGS;

/** Loses quality even for a small gain, because each byte counts. */
const WORTHWHILE = 0.97;
/** The resolution from which images are downsampled is this multiple of their new resolution. */
const TRIGGER = 1.25;

/** @param photo JPEG quality of photographs */
function lossy(base: CompressionSettings, targetDpi: number, photo: number, printDpi?: number): CompressionSettings {
  const pictures: ImageSettings = {
    ...{ coding: "lossy", worthwhile: WORTHWHILE, worthwhileAgain: WORTHWHILE },
    downsample: { triggerDpi: Math.round(TRIGGER * targetDpi), targetDpi },
    quality: { photo, drawing: photo + 8, mask: photo + 15 },
  };
  const downsample = printDpi && { downsample: { triggerDpi: Math.round(TRIGGER * printDpi), targetDpi: printDpi } };
  const { images } = base;
  const layers = images.layers && {
    layers: { ...images.layers, paperDpi: Math.min(targetDpi, images.layers.paperDpi) },
  };
  const monochrome = { ...images.monochrome, ...downsample };
  return { ...base, images: { ...images, color: pictures, grayscale: pictures, monochrome, ...layers } };
}

const LADDER: readonly CompressionSettings[] = [
  LOW,
  lossy(MEDIUM, 300, 85),
  lossy(MEDIUM, 220, 75),
  MEDIUM,
  lossy(MEDIUM, 150, 60),
  lossy(MEDIUM, 120, 50),
  HIGH,
  lossy(HIGH, 85, 36, 300),
  lossy(HIGH, 72, 30, 250),
  lossy(HIGH, 60, 24, 200),
  lossy(HIGH, 48, 18, 150),
];

/** Returns the settings of a level, and all stronger ones. */
export const settingsFrom = (level: Level): readonly [CompressionSettings, ...CompressionSettings[]] => {
  const first = LEVEL_SETTINGS[level];
  return [first, ...LADDER.slice(LADDER.indexOf(first) + 1)];
};

// Generates rasters for tests of codecs: text-like strokes, gradients, noise, gray in RGB, and translucent shapes.
import { type Band, CHANNELS, type ColorModel, type Raster } from "../../src/document/contract/raster.ts";

export const KINDS = ["gradient", "text", "noise", "gray-in-rgb", "transparent", "blank"] as const;
export type Kind = (typeof KINDS)[number];

export interface Shape {
  readonly width: number;
  readonly height: number;
  readonly colorModel: ColorModel;
  /** @default 300 */
  readonly dpi?: number;
  readonly iccProfile?: Uint8Array;
  /** Heights of the bands. The list is repeated as needed. @default [64] */
  readonly bandRows?: readonly number[];
}

export interface SyntheticRaster extends Raster {
  /** The samples of the whole image, in the format of {@link Band.samples}. */
  readonly samples: Uint8Array;
}

/** Returns an image of the given kind. It is the same every time. */
export function syntheticRaster(kind: Kind, shape: Shape): SyntheticRaster {
  const channels = CHANNELS[shape.colorModel];
  const samples = new Uint8Array(shape.width * shape.height * channels);
  const paint = painter(kind, channels);
  let at = 0;
  for (let y = 0; y < shape.height; y++) {
    for (let x = 0; x < shape.width; x++) {
      for (let channel = 0; channel < channels; channel++) samples[at++] = paint(x, y, channel);
    }
  }
  return rasterOf(samples, shape);
}

/**
 * Returns a raster of these samples. As with an engine, all bands use the same memory: the next band overwrites it. The
 * memory is not aligned to a word.
 */
export function rasterOf(samples: Uint8Array, shape: Shape): SyntheticRaster {
  const rowBytes = shape.width * CHANNELS[shape.colorModel];
  const heights = shape.bandRows ?? [64];
  const memory = new Uint8Array(1 + rowBytes * Math.max(...heights));
  const tops: [top: number, rows: number][] = [];
  for (let top = 0, index = 0; top < shape.height; index++) {
    const rows = Math.min(heights[index % heights.length]!, shape.height - top);
    tops.push([top, rows]);
    top += rows;
  }
  function* bands(order: "top-down" | "bottom-up" = "top-down"): Generator<Band> {
    for (const [top, rows] of order === "top-down" ? tops : tops.toReversed()) {
      memory.fill(0xa5);
      const view = memory.subarray(1, 1 + rows * rowBytes);
      view.set(samples.subarray(top * rowBytes, (top + rows) * rowBytes));
      yield { top, rows, samples: view };
    }
  }
  return {
    width: shape.width,
    height: shape.height,
    dpi: shape.dpi ?? 300,
    colorModel: shape.colorModel,
    ...(shape.iccProfile !== undefined && { iccProfile: shape.iccProfile }),
    samples,
    bands,
  };
}

/** Joins all chunks of a file. Copies each one immediately, because it is valid only until the next one. */
export function collect(chunks: Iterable<Uint8Array>): Buffer {
  return Buffer.concat(Array.from(chunks, (chunk) => Uint8Array.from(chunk)));
}

type Paint = (x: number, y: number, channel: number) => number;

function painter(kind: Kind, channels: number): Paint {
  switch (kind) {
    case "gradient":
      return (x, y, channel) => x * (channel + 1) + y * 2;
    case "text":
      return (x, y) => ink(x, y);
    case "noise":
      return noise();
    case "gray-in-rgb":
      return (x, y) => (ink(x, y) + (y >> 3)) & 255;
    case "transparent":
      return (x, y, channel) => (channel === channels - 1 ? 255 - ink(x, y) : 40 * channel + (x >> 4));
    case "blank":
      return () => 255;
  }
}

/** Returns the gray of a pixel in lines of repeated, soft-edged strokes, on white paper with margins and gaps. */
function ink(x: number, y: number): number {
  if (x < 24 || y % 40 < 14) return 255;
  const letter = ((x >> 4) * 7 + Math.floor(y / 40) * 3) % 11;
  const stroke = Math.abs(((x & 15) - 7) * (letter % 3) + ((y % 40) - 26) * (letter % 4) - letter);
  return Math.min(255, stroke * 29);
}

/** Returns a generator of numbers that look random (mulberry32). */
function noise(): Paint {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) & 255;
  };
}

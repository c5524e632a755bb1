// Draws two pages beside each other, with marks on what differs.
import type { Box } from "../content/matrix.ts";
import type { Raster } from "../contract/raster.ts";
import type { PagePixels } from "./page-pixels.ts";

type Color = readonly [red: number, green: number, blue: number];

/** Colors behind removed and added words. They can be told apart by people who see no red or no green. */
const REMOVED: Color = [255, 190, 170];
const ADDED: Color = [170, 215, 255];
/** Color of frames around areas that look different, their distance from the area, and their width, in pixels. */
const FRAME: Color = [255, 140, 0];
const FRAME_GAP = 3;
const FRAME_WIDTH = 2;
/** Color and width of the line between the pages. */
const BETWEEN: Color = [128, 128, 128];
const BETWEEN_WIDTH = 4;

/** Marks on a pair of pages, in pixels: left, top, right and bottom. */
export interface Marks {
  readonly removed: readonly Box[];
  readonly added: readonly Box[];
  /** Areas to frame on both pages. */
  readonly areas: readonly Box[];
}

/** @param pages the original and the other page, in one size */
export function differencePicture(
  [original, compared]: readonly [PagePixels, PagePixels],
  { removed, added, areas }: Marks,
): Raster {
  const { height, dpi } = original;
  const width = 2 * original.width + BETWEEN_WIDTH;
  const canvas = new Canvas(width, height);
  const right = original.width + BETWEEN_WIDTH;
  canvas.show(original, 0);
  canvas.fill([original.width, 0, right, height], BETWEEN);
  canvas.show(compared, right);
  for (const box of removed) canvas.tint(box, 0, REMOVED);
  for (const box of added) canvas.tint(box, right, ADDED);
  for (const area of areas) for (const left of [0, right]) canvas.frame(area, left, original.width);
  return { width, height, dpi, colorModel: "rgb", bands: () => [{ top: 0, rows: height, samples: canvas.samples }] };
}

class Canvas {
  readonly samples: Uint8Array;
  readonly #width: number;
  readonly #height: number;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.samples = new Uint8Array(width * height * 3);
  }

  show({ width, height, samples }: PagePixels, left: number): void {
    for (let y = 0; y < height; y++) {
      this.samples.set(samples.subarray(y * width * 3, (y + 1) * width * 3), (y * this.#width + left) * 3);
    }
  }

  fill(box: Box, color: Color): void {
    this.#each(box, (at) => this.samples.set(color, at));
  }

  /** Multiplies the colors of a box, so that its content stays visible. */
  tint([x0, y0, x1, y1]: Box, left: number, color: Color): void {
    this.#each([x0 + left, y0, x1 + left, y1], (at) => {
      for (const [channel, factor] of color.entries()) {
        this.samples[at + channel] = (this.samples[at + channel]! * factor) / 255;
      }
    });
  }

  /** Draws a frame around an area of the page that starts at `left`, within that page. */
  frame([x0, y0, x1, y1]: Box, left: number, width: number): void {
    const [from, to] = [left + Math.max(0, x0 - FRAME_GAP), left + Math.min(width, x1 + FRAME_GAP)];
    const [top, bottom] = [Math.max(0, y0 - FRAME_GAP), Math.min(this.#height, y1 + FRAME_GAP)];
    this.fill([from, top, to, top + FRAME_WIDTH], FRAME);
    this.fill([from, bottom - FRAME_WIDTH, to, bottom], FRAME);
    this.fill([from, top, from + FRAME_WIDTH, bottom], FRAME);
    this.fill([to - FRAME_WIDTH, top, to, bottom], FRAME);
  }

  /** Calls a function with the index of the first sample of each pixel in a box. */
  #each([left, top, right, bottom]: Box, use: (at: number) => void): void {
    const [x0, x1] = [Math.max(0, Math.floor(left)), Math.min(this.#width, Math.ceil(right))];
    const [y0, y1] = [Math.max(0, Math.floor(top)), Math.min(this.#height, Math.ceil(bottom))];
    for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) use((y * this.#width + x) * 3);
  }
}

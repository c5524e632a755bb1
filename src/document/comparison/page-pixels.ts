// Compares the pixels of two pages.
import { around, type Box } from "../content/matrix.ts";
import { type Raster, samplesOf } from "../contract/raster.ts";

/** A page in RGB with 8 bits, top row first. */
export interface PagePixels {
  readonly width: number;
  readonly height: number;
  /** Dots per inch. */
  readonly dpi: number;
  readonly samples: Uint8Array;
}

/** Difference of a channel up to which pixels count as equal. */
const TOLERANCE = 32;
/** Side of the tiles that divide a page into areas, in inches. */
const TILE = 1 / 8;
/** Maximum number of areas of a page. Further areas are not listed. */
const MAX_AREAS = 1000;
export interface PixelComparison {
  /** Fraction of the pixels that differ. */
  readonly difference: number;
  /** Left, top, right and bottom pixel of each area with differences; the last two are not included. */
  readonly areas: readonly Box[];
}

/** Reads a raster into memory. */
export function pixelsFrom(raster: Raster): PagePixels {
  const { width, height, dpi } = raster;
  return { width, height, dpi, samples: samplesOf(raster) };
}

/** Returns a page as large as both, with white at the right and at the bottom. */
export function extended(page: PagePixels, width: number, height: number): PagePixels {
  if (page.width === width && page.height === height) return page;
  const samples = new Uint8Array(width * height * 3).fill(255);
  for (let y = 0; y < page.height; y++) {
    samples.set(page.samples.subarray(y * page.width * 3, (y + 1) * page.width * 3), y * width * 3);
  }
  return { ...page, width, height, samples };
}

/**
 * Compares two pages of one size. A pixel differs if no neighbor in the other page has its color, so that glyphs that are
 * drawn a fraction of a pixel aside are equal.
 */
export function comparePixels(one: PagePixels, other: PagePixels): PixelComparison {
  const { width, height } = one;
  if (Buffer.compare(one.samples, other.samples) === 0) return { difference: 0, areas: [] };
  const differs = new Uint8Array(width * height);
  let count = 0;
  for (let y = 0, pixel = 0; y < height; y++) {
    for (let x = 0; x < width; x++, pixel++) {
      if (isNear(one.samples, 3 * pixel, other.samples, 3 * pixel)) continue;
      if (hasNeighbor(one, other, x, y) && hasNeighbor(other, one, x, y)) continue;
      differs[pixel] = 1;
      count++;
    }
  }
  const areas = areasOf(differs, width, Math.max(4, Math.round(one.dpi * TILE)));
  return { difference: count / differs.length, areas };
}

const isNear = (one: Uint8Array, at: number, other: Uint8Array, to: number): boolean =>
  Math.abs(one[at]! - other[to]!) <= TOLERANCE &&
  Math.abs(one[at + 1]! - other[to + 1]!) <= TOLERANCE &&
  Math.abs(one[at + 2]! - other[to + 2]!) <= TOLERANCE;

/** Reports whether a pixel has about its color at the same place of the other page or beside it. */
function hasNeighbor(one: PagePixels, other: PagePixels, x: number, y: number): boolean {
  const { width, height } = one;
  const at = (y * width + x) * 3;
  for (let v = Math.max(0, y - 1); v <= Math.min(height - 1, y + 1); v++) {
    for (let u = Math.max(0, x - 1); u <= Math.min(width - 1, x + 1); u++) {
      if (isNear(one.samples, at, other.samples, (v * width + u) * 3)) return true;
    }
  }
  return false;
}

/** Returns the boxes of neighboring tiles with differences. */
function areasOf(differs: Uint8Array, width: number, side: number): readonly Box[] {
  const columns = Math.ceil(width / side);
  const boxes = new Map<number, Box>();
  for (let pixel = differs.indexOf(1); pixel >= 0; pixel = differs.indexOf(1, pixel + 1)) {
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    const tile = Math.floor(y / side) * columns + Math.floor(x / side);
    const box: Box = [x, y, x + 1, y + 1];
    boxes.set(tile, around(boxes.get(tile) ?? box, box));
  }
  const areas: Box[] = [];
  const left = new Set(boxes.keys());
  for (const first of boxes.keys()) {
    if (!left.delete(first)) continue;
    let area = boxes.get(first)!;
    for (const queue = [first]; queue.length > 0; ) {
      const tile = queue.pop()!;
      area = around(area, boxes.get(tile)!);
      for (const next of neighborsOf(tile, columns)) if (left.delete(next)) queue.push(next);
    }
    areas.push(area);
    if (areas.length === MAX_AREAS) break;
  }
  return areas;
}

function* neighborsOf(tile: number, columns: number): Generator<number> {
  const column = tile % columns;
  for (const row of [-columns, 0, columns]) {
    if (column > 0) yield tile + row - 1;
    yield tile + row;
    if (column < columns - 1) yield tile + row + 1;
  }
}

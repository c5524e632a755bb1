// Finds the pixels of a scan that are ink on paper: darker than the middle between the lightest and the darkest nearby
// pixel.
import { enlargedRow, rowTaps } from "./enlarge";
import { allocate } from "./memory";

/** Side, in pixels, of the squares in which paper and ink are searched. */
const TILE: usize = 16;
/** Minimum contrast of ink. Paper itself has less. */
const MIN_CONTRAST: i32 = 56;
/** Minimum brightness of paper. */
const MIN_PAPER: i32 = 120;
/** Thresholds between ink (0) and paper (256): a pixel below the first is ink, a pixel below the second is pure ink. */
const INK: i32 = 145;
const CORE: i32 = 72;

/** Finds the lightest and the darkest value of every tile. The lightest is a mean of four rows, to ignore grain. */
function extremes(plane: usize, stride: usize, across: usize, down: usize, light: usize, dark: usize): void {
  for (let y: usize = 0; y < down; y++) {
    for (let x: usize = 0; x < across; x++) {
      let most = i8x16.splat(0);
      let least = i8x16.splat(-1);
      let at = plane + y * TILE * stride + x * TILE;
      for (let four = 0; four < 4; four++, at += 4 * stride) {
        const a = v128.load(at);
        const b = v128.load(at + stride);
        const c = v128.load(at + 2 * stride);
        const d = v128.load(at + 3 * stride);
        least = i8x16.min_u(least, i8x16.min_u(i8x16.min_u(a, b), i8x16.min_u(c, d)));
        most = i8x16.max_u(most, i8x16.avgr_u(i8x16.avgr_u(a, b), i8x16.avgr_u(c, d)));
      }
      v128.store(lanes, most);
      v128.store(lanes, least, 16);
      let top: u8 = 0;
      let bottom: u8 = 255;
      for (let lane: usize = 0; lane < 16; lane++) {
        top = max(top, load<u8>(lanes + lane));
        bottom = min(bottom, load<u8>(lanes + lane, 16));
      }
      store<u8>(light + y * across + x, top);
      store<u8>(dark + y * across + x, bottom);
    }
  }
}

const lanes: usize = memory.data(32, 16);

/** Computes the maximum, or the minimum, within `radius` tiles around each tile. */
function spread(from: usize, to: usize, across: usize, down: usize, radius: i32, largest: bool): void {
  for (let y: i32 = 0; y < <i32>down; y++) {
    for (let x: i32 = 0; x < <i32>across; x++) {
      let found: u8 = largest ? 0 : 255;
      for (let v = max(0, y - radius); v <= min(<i32>down - 1, y + radius); v++) {
        for (let u = max(0, x - radius); u <= min(<i32>across - 1, x + radius); u++) {
          const value = load<u8>(from + v * across + u);
          found = largest ? max(found, value) : min(found, value);
        }
      }
      store<u8>(to + y * across + x, found);
    }
  }
}

/**
 * @param plane - luminance; the length and the number of its rows are padded to whole tiles
 * @param marks - receives a byte per pixel: 0 for paper, 1 for ink, 2 for pure ink
 */
export function markInk(plane: usize, stride: usize, width: usize, height: usize, marks: usize): void {
  const across = (width + TILE - 1) / TILE;
  const down = (height + TILE - 1) / TILE;
  const light = allocate(across * down);
  const dark = allocate(across * down);
  const paper = allocate(across * down);
  const ink = allocate(across * down);
  extremes(plane, stride, across, down, light, dark);
  spread(light, paper, across, down, 2, true);
  spread(dark, ink, across, down, 1, false);
  for (let tile: usize = 0; tile < across * down; tile++) {
    const high = <i32>load<u8>(paper + tile);
    const low = <i32>load<u8>(ink + tile);
    const isInk = high - low >= MIN_CONTRAST && high >= MIN_PAPER;
    store<u8>(light + tile, isInk ? <u8>(low + (((high - low) * INK) >> 8)) : 0);
    store<u8>(dark + tile, isInk ? <u8>(low + (((high - low) * CORE) >> 8)) : 0);
  }
  const taps = rowTaps(across, width);
  const upper = allocate(width + 16);
  const lower = allocate(width + 16);
  const scratch = allocate(across + 16);
  for (let y: usize = 0; y < height; y++) {
    enlargedRow(light, across, across, down, y, height, taps, width, scratch, upper);
    enlargedRow(dark, across, across, down, y, height, taps, width, scratch, lower);
    const row = plane + y * stride;
    const to = marks + y * width;
    let x: usize = 0;
    for (; x + 16 <= width; x += 16) {
      const pixels = v128.load(row + x);
      // All ones (-1) for ink.
      const isInk = i8x16.lt_u(pixels, v128.load(upper + x));
      const isCore = i8x16.lt_u(pixels, v128.load(lower + x));
      v128.store(to + x, i8x16.neg(i8x16.add(isInk, isCore)));
    }
    for (; x < width; x++) {
      const pixel = load<u8>(row + x);
      store<u8>(to + x, <u8>(pixel < load<u8>(upper + x)) + <u8>(pixel < load<u8>(lower + x)));
    }
  }
}

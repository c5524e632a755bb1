// Computes the backdrop of ink: a small plane of the unmarked pixels, with gaps filled from their surroundings. Also
// measures the difference between the original plane and the backdrop with the ink on it.
import { enlargedRow, rowTaps } from "./enlarge";
import { allocate } from "./memory";
import { FIRST_INK } from "./shapes";

/** A cell counts as known if at least this many sixteenths of its pixels are unmarked. */
const MIN_PART: u32 = 4;

/**
 * Computes each cell of the small plane as the mean of its unmarked pixels.
 * @param shift - 0 for a plane with as many pixels as marks, 1 for a plane of half the size
 */
export function takeBackdrop(
  plane: usize,
  stride: usize,
  width: usize,
  height: usize,
  marks: usize,
  marksStride: usize,
  shift: u32,
  to: usize,
  toStride: usize,
  across: usize,
  down: usize,
): void {
  // The pixel column at which each cell starts, and the end of the last cell.
  const starts = allocate((across + 1) * 4);
  for (let x: usize = 0; x <= across; x++) store<u32>(starts + (x << 2), <u32>((x * width) / across));
  const known = allocate(across * down);
  // By pixel column, for the current row of cells: the sum of the unmarked pixels, and their number.
  const sums = allocate(2 * width + 32);
  const counts = allocate(width + 16);
  let begin: usize = 0;
  for (let y: usize = 0; y < height; y++) {
    addPlain(plane + y * stride, marks + (y << shift) * marksStride, shift, width, sums, counts);
    const cellRow = (y * down) / height;
    if (y + 1 < height && ((y + 1) * down) / height == cellRow) continue;
    const row = to + cellRow * toStride;
    takeCells(starts, across, <u32>(y + 1 - begin), sums, counts, row, known + cellRow * across);
    memory.fill(sums, 0, 2 * width);
    memory.fill(counts, 0, width);
    begin = y + 1;
  }
  fill(to, toStride, known, across, down);
}

/** Returns the marks of sixteen pixels of a row; 0 means unmarked. With a `shift` of 1, takes every second mark. */
@inline
function marksAt(row: usize, x: usize, shift: u32): v128 {
  const first = v128.load(row + (x << shift));
  if (!shift) return first;
  const second = v128.load(row + (x << 1), 16);
  return i8x16.shuffle(first, second, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}

/** Adds the unmarked pixels of a row. */
@inline
function addPlain(row: usize, marksRow: usize, shift: u32, width: usize, sums: usize, counts: usize): void {
  for (let x: usize = 0; x < width; x += 16, sums += 32) {
    const isPlain = i8x16.eq(marksAt(marksRow, x, shift), i8x16.splat(0));
    const pixels = v128.and(v128.load(row + x), isPlain);
    v128.store(sums, i16x8.add(v128.load(sums), i16x8.extend_low_i8x16_u(pixels)));
    v128.store(sums, i16x8.add(v128.load(sums, 16), i16x8.extend_high_i8x16_u(pixels)), 16);
    v128.store(counts + x, i8x16.sub(v128.load(counts + x), isPlain));
  }
}

/** Computes a row of cells. @param rows - number of added pixel rows; few enough for 16-bit sums */
function takeCells(
  starts: usize,
  across: usize,
  rows: u32,
  sums: usize,
  counts: usize,
  to: usize,
  known: usize,
): void {
  for (let index: usize = 0; index < across; index++) {
    const first = load<u32>(starts + (index << 2));
    const end = load<u32>(starts + (index << 2), 4);
    let sum: u32 = 0;
    let used: u32 = 0;
    for (let x: usize = first; x < <usize>end; x++) {
      sum += load<u16>(sums + (x << 1));
      used += load<u8>(counts + x);
    }
    if (used * 16 < (end - first) * rows * MIN_PART || used == 0) continue;
    store<u8>(known + index, 1);
    store<u8>(to + index, <u8>((sum + (used >> 1)) / used));
  }
}

/** Fills gaps with the mean of the known cells in squares of 2, 4, 8, … cells around them. */
function fill(plane: usize, stride: usize, known: usize, across: usize, down: usize): void {
  if (across <= 1 && down <= 1) return;
  const halfAcross = (across + 1) >> 1;
  const halfDown = (down + 1) >> 1;
  const half = allocate(halfAcross * halfDown);
  const halfKnown = allocate(halfAcross * halfDown);
  let gaps = false;
  for (let y: usize = 0; y < halfDown; y++) {
    for (let x: usize = 0; x < halfAcross; x++) {
      let sum: u32 = 0;
      let count: u32 = 0;
      for (let v = y << 1; v < min(down, (y << 1) + 2); v++) {
        for (let u = x << 1; u < min(across, (x << 1) + 2); u++) {
          if (load<u8>(known + v * across + u)) {
            sum += load<u8>(plane + v * stride + u);
            count++;
          } else gaps = true;
        }
      }
      if (count == 0) continue;
      store<u8>(halfKnown + y * halfAcross + x, 1);
      store<u8>(half + y * halfAcross + x, <u8>((sum + (count >> 1)) / count));
    }
  }
  if (!gaps) return;
  fill(half, halfAcross, halfKnown, halfAcross, halfDown);
  const taps = rowTaps(halfAcross, across);
  const scratch = allocate(halfAcross + 16);
  const row = allocate(across + 16);
  for (let y: usize = 0; y < down; y++) {
    enlargedRow(half, halfAcross, halfAcross, halfDown, y, down, taps, across, scratch, row);
    for (let x: usize = 0; x < across; x++) {
      if (!load<u8>(known + y * across + x)) store<u8>(plane + y * stride + x, load<u8>(row + x));
    }
  }
}

/**
 * Adds to every tile the squared differences between the original plane and the backdrop with ink on it. If the plane
 * has as many pixels as marks, compares means of 2 x 2 pixels, because sharp edges of ink are not errors.
 * @param marks - 0 if there is no ink
 * @param shift - as in {@link takeBackdrop}
 * @param inks - the value of each ink
 * @param tileShift - binary logarithm of the tile side in pixels of the plane
 * @param errors - a 32-bit float per tile
 */
export function compareLayers(
  plane: usize,
  stride: usize,
  width: usize,
  height: usize,
  marks: usize,
  marksStride: usize,
  shift: u32,
  inks: usize,
  low: usize,
  lowStride: usize,
  across: usize,
  down: usize,
  tileShift: u32,
  tilesAcross: usize,
  errors: usize,
): void {
  const taps = rowTaps(across, width);
  const scratch = allocate(across + 16);
  const row = allocate(width + 16);
  const differences = allocate(width * 2 + 32);
  const joined = 1 - shift;
  for (let y: usize = 0; y < height; y++) {
    // Every other row, or every other pair of rows, is sufficient.
    if ((y >> joined) & 1) continue;
    enlargedRow(low, lowStride, across, down, y, height, taps, width, scratch, row);
    if (marks) putInks(marks + (y << shift) * marksStride, shift, inks, row, width);
    const from = plane + y * stride;
    const tiles = errors + (y >> tileShift) * tilesAcross * 4;
    if (!joined) addSquares(from, row, width, tiles, tileShift);
    else if (y & 1) addJoinedSquares(from, row, width, differences, tiles, tileShift);
    else keepDifferences(from, row, width, differences);
  }
}

/** Replaces marked pixels by ink. @param inks - the value of each of up to sixteen inks */
@inline
function putInks(marksRow: usize, shift: u32, inks: usize, row: usize, width: usize): void {
  const values = v128.load(inks);
  const first = i8x16.splat(FIRST_INK);
  for (let x: usize = 0; x < width; x += 16) {
    const marks = marksAt(marksRow, x, shift);
    const ink = i8x16.swizzle(values, i8x16.sub(marks, first));
    v128.store(row + x, v128.bitselect(ink, v128.load(row + x), i8x16.ge_u(marks, first)));
  }
}

const LANES = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

/** Sets pixels beyond the end of a row to zero. @param count - pixels up to the end */
@inline
function within(pixels: v128, count: usize): v128 {
  return count >= 16 ? pixels : v128.and(pixels, i8x16.lt_u(LANES, i8x16.splat(<i8>count)));
}

@inline
function lowDifference(one: v128, other: v128): v128 {
  return i16x8.sub(i16x8.extend_low_i8x16_u(one), i16x8.extend_low_i8x16_u(other));
}

@inline
function highDifference(one: v128, other: v128): v128 {
  return i16x8.sub(i16x8.extend_high_i8x16_u(one), i16x8.extend_high_i8x16_u(other));
}

@inline
function addTo(tile: usize, squares: v128): void {
  const halves = i32x4.add(squares, i8x16.shuffle(squares, squares, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  const sum = i32x4.extract_lane(halves, 0) + i32x4.extract_lane(halves, 1);
  store<f32>(tile, load<f32>(tile) + <f32>sum);
}

/**
 * Adds twice the square of every difference, because only every other row is compared. Sixteen pixels are in one tile,
 * which has at least sixteen columns.
 */
@inline
function addSquares(from: usize, row: usize, width: usize, tiles: usize, tileShift: u32): void {
  for (let x: usize = 0; x < width; x += 16) {
    const one = within(v128.load(from + x), width - x);
    const other = within(v128.load(row + x), width - x);
    const low = lowDifference(one, other);
    const high = highDifference(one, other);
    const squares = i32x4.add(i32x4.dot_i16x8_s(low, low), i32x4.dot_i16x8_s(high, high));
    addTo(tiles + ((x >> tileShift) << 2), i32x4.shl(squares, 1));
  }
}

@inline
function keepDifferences(from: usize, row: usize, width: usize, to: usize): void {
  const pairs = width & ~1;
  for (let x: usize = 0; x < pairs; x += 16) {
    const one = within(v128.load(from + x), pairs - x);
    const other = within(v128.load(row + x), pairs - x);
    v128.store(to + (x << 1), lowDifference(one, other));
    v128.store(to + (x << 1), highDifference(one, other), 16);
  }
}

/**
 * Adds, for every 2 x 2 pixels, eight times the square of their mean difference: only half of the rows are compared.
 */
@inline
function addJoinedSquares(
  from: usize,
  row: usize,
  width: usize,
  before: usize,
  tiles: usize,
  tileShift: u32,
): void {
  const pairs = width & ~1;
  for (let x: usize = 0; x < pairs; x += 16) {
    const one = within(v128.load(from + x), pairs - x);
    const other = within(v128.load(row + x), pairs - x);
    const low = i32x4.extadd_pairwise_i16x8_s(i16x8.add(lowDifference(one, other), v128.load(before + (x << 1))));
    const high = i32x4.extadd_pairwise_i16x8_s(i16x8.add(highDifference(one, other), v128.load(before + (x << 1), 16)));
    const squares = i32x4.add(i32x4.shr_u(i32x4.mul(low, low), 2), i32x4.shr_u(i32x4.mul(high, high), 2));
    addTo(tiles + ((x >> tileShift) << 2), i32x4.shl(squares, 1));
  }
}

/**
 * Splits rows of RGB into luminance and, for the first of two rows, chrominance at half the width (JFIF 1.02). `cb` is
 * 0 for the second row.
 */
export function splitRgb(from: usize, width: usize, y: usize, cb: usize, cr: usize): void {
  for (let x: usize = 0; x < width; x++, from += 3) {
    const red = <i32>load<u8>(from);
    const green = <i32>load<u8>(from, 1);
    const blue = <i32>load<u8>(from, 2);
    store<u8>(y + x, <u8>((19595 * red + 38470 * green + 7471 * blue + 32768) >> 16));
    if (!cb || x & 1) continue;
    store<u8>(cb + (x >> 1), <u8>((-11059 * red - 21709 * green + 32768 * blue + 8421375) >> 16));
    store<u8>(cr + (x >> 1), <u8>((32768 * red - 27439 * green - 5329 * blue + 8421375) >> 16));
  }
}

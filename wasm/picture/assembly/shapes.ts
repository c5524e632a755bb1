// Finds connected ink shapes (8-connectivity), measures them, and marks the pixels of chosen shapes with their ink.
import { allocate } from "./memory";

/** Size of a run of connected pixels in one row: its start, its end, and another run of the same shape (union-find). */
const RUN_BYTES: usize = 8;
/** Measurements of a shape, as 64-bit floats. */
const SHAPE_BYTES: usize = 120;
/** Minimum number of image pixels per run. An image with more runs, or with too many shapes, is not text. */
const PIXELS_PER_RUN: usize = 8;
const MAX_SHAPES: u32 = 40000;

/** Mark of the first ink; ink n has this mark plus n. Lower marks are paper, or pixels next to ink. */
export const FIRST_INK: u8 = 2;
const BESIDE: u8 = 1;

/** Number of shapes. */
export let shapeCount: u32 = 0;
/**
 * By shape: area, area of pure ink, first and last column and row, number of runs along rows, and along columns; sums
 * over pure ink of Y, Y squared, Cb, Cr; sums of Y, Cb and Cr over the whole area.
 */
export let shapes: usize = 0;
/** A byte per shape, set by the caller: 0 for paper, or {@link FIRST_INK} and above. */
export let choices: usize = 0;

let runs: usize = 0;
let rowStarts: usize = 0;
let marksAt: usize = 0;
let columns: usize = 0;
let rows: usize = 0;

@inline
function runAt(index: usize): usize {
  return runs + index * RUN_BYTES;
}

@inline
function startOf(run: usize): i32 {
  return load<u16>(run);
}

@inline
function endOf(run: usize): i32 {
  return load<u16>(run, 2);
}

/** @returns the position where the next ink starts or, with `blank`, ends */
@inline
function next(row: usize, from: usize, width: usize, blank: bool): usize {
  let x = from;
  if (!blank) for (; x + 8 <= width && load<u64>(row + x) == 0; ) x += 8;
  for (; x < width && (load<u8>(row + x) == 0) != blank; ) x++;
  return x;
}

function countRuns(): usize {
  let count: usize = 0;
  for (let y: usize = 0; y < rows; y++) {
    const row = marksAt + y * columns;
    for (let x = next(row, 0, columns, false); x < columns; x = next(row, x, columns, false)) {
      x = next(row, x, columns, true);
      count++;
    }
  }
  return count;
}

function rootOf(index: u32): u32 {
  let at = index;
  for (let above = load<u32>(runAt(at), 4); above != at; above = load<u32>(runAt(at), 4)) {
    // Halves the path to the root, so that later searches are faster.
    const higher = load<u32>(runAt(above), 4);
    store<u32>(runAt(at), higher, 4);
    at = higher;
  }
  return at;
}

function join(one: u32, other: u32): void {
  const a = rootOf(one);
  const b = rootOf(other);
  if (a < b) store<u32>(runAt(b), a, 4);
  else store<u32>(runAt(a), b, 4);
}

/**
 * @param marks - from ink.ts, in rows without gaps; fewer than 65536 pixels per row
 * @returns false if there are too many shapes
 */
export function findShapes(marks: usize, width: usize, height: usize): bool {
  marksAt = marks;
  columns = width;
  rows = height;
  shapeCount = 0;
  const count = countRuns();
  if (count > (width * height) / PIXELS_PER_RUN) return false;
  runs = allocate(count * RUN_BYTES + 16);
  rowStarts = allocate((height + 1) * 4);
  let index: u32 = 0;
  let before: u32 = 0;
  for (let y: usize = 0; y < height; y++) {
    const row = marks + y * width;
    const first = index;
    store<u32>(rowStarts + y * 4, first);
    let above = before;
    for (let x = next(row, 0, width, false); x < width; x = next(row, x, width, false)) {
      const start = <i32>x;
      x = next(row, x, width, true);
      const run = runAt(index);
      store<u16>(run, <u16>start);
      store<u16>(run, <u16>x, 2);
      store<u32>(run, index, 4);
      while (above < first && endOf(runAt(above)) < start) above++;
      for (let one = above; one < first && startOf(runAt(one)) <= <i32>x; one++) join(index, one);
      index++;
    }
    before = first;
  }
  store<u32>(rowStarts + height * 4, index);
  return number(index);
}

/** Numbers the shapes, and replaces the link of each run by the number of its shape. */
function number(count: u32): bool {
  for (let index: u32 = 0; index < count; index++) {
    const root = load<u32>(runAt(index), 4);
    // The parent precedes the run, so the parent already has its number.
    if (root == index) store<u32>(runAt(index), shapeCount++, 4);
    else store<u32>(runAt(index), load<u32>(runAt(root), 4), 4);
    if (shapeCount > MAX_SHAPES) return false;
  }
  shapes = allocate(<usize>shapeCount * SHAPE_BYTES);
  choices = allocate(shapeCount);
  return true;
}

@inline
function add(shape: usize, place: usize, value: f64): void {
  store<f64>(shape + (place << 3), load<f64>(shape + (place << 3)) + value);
}

@inline
function extend(shape: usize, place: usize, low: f64, high: f64): void {
  const at = shape + (place << 3);
  store<f64>(at, min(load<f64>(at), low));
  store<f64>(at + 8, max(load<f64>(at + 8), high));
}

/** Computes {@link shapes}. @param cb - and `cr`: planes of half the size, or 0 for a gray image */
export function describeShapes(y: usize, stride: usize, cb: usize, cr: usize, colorStride: usize): void {
  for (let shape = shapes, end = shapes + <usize>shapeCount * SHAPE_BYTES; shape < end; shape += SHAPE_BYTES) {
    store<f64>(shape, 65536, 16);
    store<f64>(shape, 65536, 32);
  }
  for (let row: usize = 0; row < rows; row++) {
    const last = load<u32>(rowStarts + row * 4, 4);
    const first = load<u32>(rowStarts + row * 4);
    for (let index = first; index < last; index++) describeRun(runAt(index), row, y, stride, cb, cr, colorStride);
  }
}

function describeRun(run: usize, row: usize, plane: usize, stride: usize, cb: usize, cr: usize, colors: usize): void {
  const shape = shapes + <usize>load<u32>(run, 4) * SHAPE_BYTES;
  const start = startOf(run);
  const end = endOf(run);
  const marks = marksAt + row * columns;
  const above = row > 0 ? marks - columns : 0;
  let core: u32 = 0;
  let open: u32 = 0;
  let sum: u32 = 0;
  let all: u32 = 0;
  let squares: u64 = 0;
  let blue: u32 = 0;
  let red: u32 = 0;
  let allBlue: u32 = 0;
  let allRed: u32 = 0;
  const half = (row >> 1) * colors;
  for (let x: usize = start; x < <usize>end; x++) {
    if (!above || load<u8>(above + x) == 0) open++;
    const value = <u32>load<u8>(plane + row * stride + x);
    const cbHere: u32 = cb ? load<u8>(cb + half + (x >> 1)) : 0;
    const crHere: u32 = cb ? load<u8>(cr + half + (x >> 1)) : 0;
    all += value;
    allBlue += cbHere;
    allRed += crHere;
    if (load<u8>(marks + x) < 2) continue;
    core++;
    sum += value;
    squares += value * value;
    blue += cbHere;
    red += crHere;
  }
  add(shape, 0, end - start);
  add(shape, 1, core);
  extend(shape, 2, start, end - 1);
  extend(shape, 4, <f64>row, <f64>row);
  add(shape, 6, 1);
  add(shape, 7, open);
  add(shape, 8, sum);
  add(shape, 9, <f64>squares);
  add(shape, 10, blue);
  add(shape, 11, red);
  add(shape, 12, all);
  add(shape, 13, allBlue);
  add(shape, 14, allRed);
}

/** Marks the pixels of chosen shapes, and the pixels next to them up to a distance of `beside`. */
export function paintShapes(beside: i32): void {
  memory.fill(marksAt, 0, rows * columns);
  for (let row: usize = 0; row < rows; row++) {
    const last = load<u32>(rowStarts + row * 4, 4);
    for (let index = load<u32>(rowStarts + row * 4); index < last; index++) {
      const run = runAt(index);
      const choice = load<u8>(choices + load<u32>(run, 4));
      if (choice) memory.fill(marksAt + row * columns + startOf(run), choice, endOf(run) - startOf(run));
    }
  }
  for (let row: i32 = 0; row < <i32>rows; row++) {
    const last = load<u32>(rowStarts + row * 4, 4);
    for (let index = load<u32>(rowStarts + row * 4); index < last; index++) {
      const run = runAt(index);
      if (load<u8>(choices + load<u32>(run, 4))) surround(run, row, beside);
    }
  }
}

@inline
function surround(run: usize, row: i32, beside: i32): void {
  const from = max(0, startOf(run) - beside);
  const to = min(<i32>columns, endOf(run) + beside);
  for (let y = max(0, row - beside); y <= min(<i32>rows - 1, row + beside); y++) {
    const marks = marksAt + y * columns;
    for (let x = from; x < to; x++) if (load<u8>(marks + x) == 0) store<u8>(marks + x, BESIDE);
  }
}

/** Drops the shapes with pixels in marked tiles. @param tiles - a byte per tile, row by row */
export function dropShapes(tiles: usize, tilesAcross: usize, tileShift: u32): void {
  for (let row: usize = 0; row < rows; row++) {
    const last = load<u32>(rowStarts + row * 4, 4);
    const tileRow = tiles + (row >> tileShift) * tilesAcross;
    for (let index = load<u32>(rowStarts + row * 4); index < last; index++) {
      const run = runAt(index);
      let isBad = false;
      for (let x = startOf(run) >> tileShift; x <= (endOf(run) - 1) >> tileShift; x++) {
        if (load<u8>(tileRow + x)) isBad = true;
      }
      if (isBad) store<u8>(choices + load<u32>(run, 4), 0);
    }
  }
}

/** Writes the pixels of one ink as bits, in rows padded to whole bytes. @returns the number of pixels */
export function bitsOfInk(ink: u8, to: usize): u32 {
  const bytes = (columns + 7) >> 3;
  let count: u32 = 0;
  for (let row: usize = 0; row < rows; row++) {
    const marks = marksAt + row * columns;
    const bits = to + row * bytes;
    for (let x: usize = 0; x < columns; x++) {
      if ((x & 7) == 0 && x + 8 <= columns && load<u64>(marks + x) == 0) {
        x += 7;
        continue;
      }
      if (load<u8>(marks + x) != ink) continue;
      store<u8>(bits + (x >> 3), load<u8>(bits + (x >> 3)) | (0x80 >> <u8>(x & 7)));
      count++;
    }
  }
  return count;
}

// What lies behind ink: a small plane of what is not marked, with the gaps filled from around them; and how far that plane, with the
// ink upon it, is from what was there.
import { enlargedRow, rowTaps } from "./enlarge";
import { allocate } from "./memory";
import { FIRST_INK } from "./shapes";

/** Of 16 parts of a cell: fewer that are not marked are not believed. */
const LEAST_PART: u32 = 4;

/**
 * Each cell of the small plane is the mean of the pixels in it that are not marked.
 * @param shift - 0 for a plane of as many pixels as there are marks, 1 for one of half as many
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
  const cells = allocate(across * down * 8);
  // Where the pixels of each cell begin, and those of the last one end.
  const starts = allocate((across + 1) * 4);
  for (let x: usize = 0; x <= across; x++) store<u32>(starts + (x << 2), <u32>((x * width) / across));
  for (let y: usize = 0; y < height; y++) {
    const row = plane + y * stride;
    const marksRow = marks + (y << shift) * marksStride;
    const cellRow = cells + ((y * down) / height) * across * 8;
    let x: usize = 0;
    for (let index: usize = 0; index < across; index++) {
      const cell = cellRow + (index << 3);
      const end = <usize>load<u32>(starts + (index << 2), 4);
      let sum: u32 = 0;
      // Above: how many pixels there are, below: how many of them count.
      let counts = <u32>(end - x) << 16;
      for (; x < end; x++) {
        const isPlain = <u32>(load<u8>(marksRow + (x << shift)) == 0);
        sum += isPlain * load<u8>(row + x);
        counts += isPlain;
      }
      store<u32>(cell, load<u32>(cell) + sum);
      store<u32>(cell, load<u32>(cell, 4) + counts, 4);
    }
  }
  const known = allocate(across * down);
  for (let y: usize = 0; y < down; y++) {
    for (let x: usize = 0; x < across; x++) {
      const cell = cells + (y * across + x) * 8;
      const counts = load<u32>(cell, 4);
      const used = counts & 0xffff;
      if (used * 16 < (counts >> 16) * LEAST_PART || used == 0) continue;
      store<u8>(known + y * across + x, 1);
      store<u8>(to + y * toStride + x, <u8>((load<u32>(cell) + (used >> 1)) / used));
    }
  }
  fill(to, toStride, known, across, down);
}

/** Gaps get the mean of what is known in squares of 2, 4, 8, … cells around them. */
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
  const scratch = allocate(halfAcross);
  const row = allocate(across);
  for (let y: usize = 0; y < down; y++) {
    enlargedRow(half, halfAcross, halfAcross, halfDown, y, down, taps, across, scratch, row);
    for (let x: usize = 0; x < across; x++) {
      if (!load<u8>(known + y * across + x)) store<u8>(plane + y * stride + x, load<u8>(row + x));
    }
  }
}

/**
 * Adds to every tile the squares of the differences between a plane and a small one under ink; where there are as many pixels as
 * marks, of means of two by two: the sharp edges of ink are no fault.
 * @param marks - 0 where there is no ink
 * @param shift - as {@link takeBackdrop} has it
 * @param inks - the value of each ink
 * @param tileShift - tiles are so many pixels of the plane a side, as a power of two
 * @param errors - a 32 bit float for each tile
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
  const scratch = allocate(across);
  const row = allocate(width + 16);
  const differences = allocate(width * 4 + 16);
  const joined = 1 - shift;
  for (let y: usize = 0; y < height; y++) {
    // Every other row of what is compared tells enough.
    if ((y >> joined) & 1) continue;
    enlargedRow(low, lowStride, across, down, y, height, taps, width, scratch, row);
    if (marks) {
      const marksRow = marks + (y << shift) * marksStride;
      for (let x: usize = 0; x < width; x++) {
        const mark = load<u8>(marksRow + (x << shift));
        if (mark >= FIRST_INK) store<u8>(row + x, load<u8>(inks + (mark - FIRST_INK)));
      }
    }
    const from = plane + y * stride;
    const isFirst = (y & joined) == 0;
    for (let x: usize = 0; x < width; x++) {
      const at = differences + ((x >> joined) << 2);
      const difference = <i32>load<u8>(from + x) - <i32>load<u8>(row + x);
      store<i32>(at, isFirst && (x & joined) == 0 ? difference : load<i32>(at) + difference);
    }
    if (joined && isFirst) continue;
    const tiles = errors + (y >> tileShift) * tilesAcross * 4;
    for (let x: usize = 0; x < width >> joined; x++) {
      const tile = tiles + (((x << joined) >> tileShift) << 2);
      const difference = load<i32>(differences + (x << 2));
      // Of four pixels: the square of their mean, four times.
      store<f32>(tile, load<f32>(tile) + <f32>(((difference * difference) >> (joined << 1)) << 1));
    }
  }
}

/** Rows of RGB as brightness, and, of the first of two, colour at half the width (JFIF 1.02). `cb` is 0 for the second row. */
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

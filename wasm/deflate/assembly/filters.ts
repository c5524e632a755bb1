// Applies PNG filters (PNG 3rd ed. clause 9) to sixteen bytes at a time. Sub is also TIFF's predictor 2 (TIFF 6.0
// section 14). Writes can extend slightly past the end of an output.
import { total } from "./lanes";
import { pixelBytes, sampleBytes } from "./layout";

/** Filter types of PNG 3rd ed. table 7. */
export const NONE: u8 = 0;
export const SUB: u8 = 1;
export const UP: u8 = 2;
export const AVERAGE: u8 = 3;
export const PAETH: u8 = 4;

export function isSameRow(row: usize, other: usize): bool {
  const end = row + sampleBytes;
  for (; row + 64 <= end; row += 64, other += 64) {
    const first = v128.or(
      v128.xor(v128.load(row), v128.load(other)),
      v128.xor(v128.load(row, 16), v128.load(other, 16)),
    );
    const second = v128.or(
      v128.xor(v128.load(row, 32), v128.load(other, 32)),
      v128.xor(v128.load(row, 48), v128.load(other, 48)),
    );
    if (v128.any_true(v128.or(first, second))) return false;
  }
  for (; row < end; row++, other++) if (load<u8>(row) != load<u8>(other)) return false;
  return true;
}

@inline
function apart(one: v128, other: v128): v128 {
  return v128.or(i8x16.sub_sat_u(one, other), i8x16.sub_sat_u(other, one));
}

/**
 * Paeth predictor (PNG 3rd ed. clause 9.4). On a tie, left takes precedence over above, and above over the corner. Sums
 * are saturated to 255, which keeps the order of the distances.
 */
@inline
function nearest(left: v128, top: v128, corner: v128): v128 {
  const byLeft = apart(top, corner);
  const byTop = apart(left, corner);
  const opposite = v128.xor(i8x16.ge_u(top, corner), i8x16.ge_u(left, corner));
  const byCorner = v128.bitselect(apart(byLeft, byTop), i8x16.add_sat_u(byLeft, byTop), opposite);
  const takeLeft = v128.and(i8x16.le_u(byLeft, byTop), i8x16.le_u(byLeft, byCorner));
  return v128.bitselect(left, v128.bitselect(top, corner, i8x16.le_u(byTop, byCorner)), takeLeft);
}

/** Average, rounded down (clause 9.3); the vector instruction rounds up. */
@inline
function average(left: v128, top: v128): v128 {
  return i8x16.sub(i8x16.avgr_u(left, top), v128.and(v128.xor(left, top), i8x16.splat(1)));
}

/** Returns the prediction for one sample. `left` and `corner` are 0 before the first pixel. */
export function predicted(filter: u8, left: i32, top: i32, corner: i32): i32 {
  if (filter == SUB) return left;
  if (filter == UP) return top;
  if (filter == AVERAGE) return (left + top) >> 1;
  if (filter == NONE) return 0;
  const byLeft = abs(top - corner);
  const byTop = abs(left - corner);
  const byCorner = abs(left + top - 2 * corner);
  return byLeft <= byTop && byLeft <= byCorner ? left : byTop <= byCorner ? top : corner;
}

/** Writes a filtered row. The row above must precede the row in memory. */
export function filterRow(filter: u8, row: usize, to: usize): void {
  const end = row + sampleBytes;
  const above = row - sampleBytes;
  if (filter == NONE) {
    memory.copy(to, row, sampleBytes);
    return;
  }
  const shift = to - row;
  const toAbove = sampleBytes;
  const pixel = pixelBytes;
  if (filter == SUB) {
    for (let at = row; at < end; at += 16) {
      v128.store(at + shift, i8x16.sub(v128.load(at), v128.load(at - pixel)));
    }
  } else if (filter == UP) {
    for (let at = row; at < end; at += 16) {
      v128.store(at + shift, i8x16.sub(v128.load(at), v128.load(at - toAbove)));
    }
  } else if (filter == AVERAGE) {
    for (let at = row; at < end; at += 16) {
      const guess = average(v128.load(at - pixel), v128.load(at - toAbove));
      v128.store(at + shift, i8x16.sub(v128.load(at), guess));
    }
  } else {
    for (let at = row; at < end; at += 16) {
      const top = at - toAbove;
      const guess = nearest(v128.load(at - pixel), v128.load(top), v128.load(top - pixel));
      v128.store(at + shift, i8x16.sub(v128.load(at), guess));
    }
  }
  for (let i: usize = 0; i < pixel; i++) {
    store<u8>(to + i, load<u8>(row + i) - <u8>predicted(filter, 0, load<u8>(above + i), 0));
  }
}

@inline
function sizes(differences: v128): v128 {
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(i8x16.abs(differences)));
}

/**
 * Returns the filter with the smallest sum of absolute differences, as PNG 3rd ed. clause 12.7 recommends for
 * photographs.
 */
export function smoothestFilter(row: usize): u8 {
  const pixel = pixelBytes;
  let sub = i32x4.splat(0);
  let up = i32x4.splat(0);
  let middle = i32x4.splat(0);
  let paeth = i32x4.splat(0);
  // A third of the row is sufficient.
  const end = row + sampleBytes;
  for (let at = row + pixel; at + 16 <= end; at += 48) {
    const above = at - sampleBytes;
    const value = v128.load(at);
    const left = v128.load(at - pixel);
    const top = v128.load(above);
    sub = i32x4.add(sub, sizes(i8x16.sub(value, left)));
    up = i32x4.add(up, sizes(i8x16.sub(value, top)));
    middle = i32x4.add(middle, sizes(i8x16.sub(value, average(left, top))));
    paeth = i32x4.add(paeth, sizes(i8x16.sub(value, nearest(left, top, v128.load(above - pixel)))));
  }
  let best = PAETH;
  let least = total(paeth);
  let other = total(sub);
  if (other < least) {
    least = other;
    best = SUB;
  }
  other = total(up);
  if (other < least) {
    least = other;
    best = UP;
  }
  return total(middle) < least ? AVERAGE : best;
}

// Resamples by area: every result pixel is the mean of the source pixels that it covers. Reads one source row at a
// time, and stores only the sums of the current result row. Pixels have any number of interleaved 8-bit samples.
import { allocate } from "./memory";

/** Total weight of the source rows of a result row, chosen so that sums fit 32 bits. */
const WHOLE: f64 = 4096.0;

@unmanaged
class Area {
  channels: u32;
  /** Samples of a source row. */
  rowSamples: u32;
  sourceRows: u32;
  width: u32;
  height: u32;
  /** Source pixels per result pixel. */
  scaleX: f64;
  scaleY: f64;
  /** Index of the next source row, and of the next result row. */
  sourceRow: u32;
  row: u32;
  /** `sums`: the weighted samples of the current result row. `weight`: the sum of their weights. */
  sums: usize;
  weight: u32;
  /** By result pixel: the source pixels that it covers. */
  spans: usize;
  target: usize;
  /** Bytes between the starts of two result rows. */
  stride: u32;
  /** True if the result has the same size as the source. */
  isCopy: bool;
}

/**
 * @param scaleX - source pixels per result pixel; pixels beyond the source are ignored
 * @param target - address of the result, row by row
 */
export function newArea(
  channels: u32,
  sourceWidth: u32,
  sourceRows: u32,
  width: u32,
  height: u32,
  scaleX: f64,
  scaleY: f64,
  target: usize,
  stride: u32,
): usize {
  const at = allocate(offsetof<Area>());
  const area = changetype<Area>(at);
  area.channels = channels;
  area.rowSamples = channels * sourceWidth;
  area.sourceRows = sourceRows;
  area.width = width;
  area.height = height;
  area.scaleX = scaleX;
  area.scaleY = scaleY;
  area.sourceRow = 0;
  area.row = 0;
  area.weight = 0;
  area.target = target;
  area.stride = stride;
  area.isCopy = scaleX == 1.0 && scaleY == 1.0 && width == sourceWidth && height == sourceRows;
  area.sums = allocate(<usize>area.rowSamples * 4 + 64);
  area.spans = allocate(<usize>width * SPAN_BYTES);
  for (let x: u32 = 0; x < width; x++) measure(changetype<Span>(area.spans + x * SPAN_BYTES), x, sourceWidth, scaleX);
  return at;
}

/** The source pixels that a result pixel covers. It can cover the first and the last pixel partially. */
@unmanaged
class Span {
  first: u32;
  /** Number of pixels after the first. */
  more: u32;
  head: f64;
  tail: f64;
  /** One divided by the total length. */
  inverse: f64;
}

const SPAN_BYTES: usize = 32;

function measure(span: Span, x: u32, pixels: u32, scale: f64): void {
  const from = <f64>x * scale;
  const until = min(<f64>pixels, from + scale);
  const first = min(pixels - 1, <u32>from);
  const last = min(pixels - 1, <u32>until);
  const head = min(<f64>(first + 1), until) - from;
  const tail = last > first ? until - <f64>last : 0.0;
  // Because of a rounding error, a result pixel can be past the last source pixel, which is then repeated.
  const isEmpty = head + <f64>max(0, <i32>(last - first) - 1) + tail < 1e-9;
  span.first = first;
  span.more = last - first;
  span.head = isEmpty ? 1.0 : head;
  span.tail = tail;
  span.inverse = isEmpty ? 1.0 : 1.0 / (until - from);
}

/** Returns the number of result rows. */
export function areaRows(at: usize): u32 {
  return changetype<Area>(at).row;
}

@inline
function addWeighted(from: usize, sums: usize, count: usize, weight: u32): void {
  const factor = i16x8.splat(<i16>weight);
  const end = from + count;
  for (; from < end; from += 16, sums += 64) {
    const low = v128.load_ext<u8>(from);
    const high = v128.load_ext<u8>(from, 8);
    v128.store(sums, i32x4.add(v128.load(sums), i32x4.extmul_low_i16x8_u(low, factor)));
    v128.store(sums, i32x4.add(v128.load(sums, 16), i32x4.extmul_high_i16x8_u(low, factor)), 16);
    v128.store(sums, i32x4.add(v128.load(sums, 32), i32x4.extmul_low_i16x8_u(high, factor)), 32);
    v128.store(sums, i32x4.add(v128.load(sums, 48), i32x4.extmul_high_i16x8_u(high, factor)), 48);
  }
}

/** Computes the pixels of the current result row from its sums. */
@inline
function finishRow(area: Area, channels: usize): void {
  const pixelBytes = <usize>channels << 2;
  const factor = 1.0 / <f64>area.weight;
  const end = area.spans + <usize>area.width * SPAN_BYTES;
  let to = area.target + <usize>area.row * area.stride;
  for (let at = area.spans; at < end; at += SPAN_BYTES, to += channels) {
    const span = changetype<Span>(at);
    const start = area.sums + <usize>span.first * pixelBytes;
    const last = start + <usize>span.more * pixelBytes;
    const divisor = span.inverse * factor;
    for (let channel: usize = 0; channel < channels; channel++) {
      const offset = channel << 2;
      let sum = <f64>load<u32>(start + offset) * span.head;
      if (last > start) {
        let whole: u64 = 0;
        for (let next = start + offset + pixelBytes; next < last; next += pixelBytes) whole += load<u32>(next);
        sum += <f64>whole + <f64>load<u32>(last + offset) * span.tail;
      }
      store<u8>(to + channel, <u8>min(255.0, sum * divisor + 0.5));
    }
  }
}

/** Adds the next row. Ignores rows after the last row. */
export function addAreaRow(at: usize, from: usize): void {
  const area = changetype<Area>(at);
  if (area.sourceRow >= area.sourceRows) return;
  if (area.isCopy) {
    memory.copy(area.target + <usize>area.row * area.stride, from, area.rowSamples);
    area.sourceRow++;
    area.row++;
    return;
  }
  const top = <f64>area.sourceRow;
  area.sourceRow++;
  const isLast = area.sourceRow == area.sourceRows;
  while (area.row < area.height) {
    const start = <f64>area.row * area.scaleY;
    const end = start + area.scaleY;
    const covered = min(top + 1.0, end) - max(top, start);
    // Because of a rounding error, a result row can be past the last source row, which is then repeated.
    const least = covered > 0.5 || (isLast && area.weight == 0) ? 1.0 : 0.0;
    const weight = <u32>max(least, nearest(covered * (WHOLE / max(1.0, area.scaleY))));
    if (weight > 0) {
      addWeighted(from, area.sums, area.rowSamples, weight);
      area.weight += weight;
    }
    if (!isLast && end > top + 1.0) return;
    if (area.channels == 1) finishRow(area, 1);
    else if (area.channels == 3) finishRow(area, 3);
    else finishRow(area, area.channels);
    memory.fill(area.sums, 0, (<usize>area.rowSamples << 2) + 64);
    area.weight = 0;
    area.row++;
  }
}

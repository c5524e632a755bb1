// Codes coefficients as scans: sequential (T.81 F.1.2) and progressive (T.81 G.1). Processes every scan twice: counts
// symbols, then writes.
import { putPlain, putSymbol, roomFor } from "./bit-writer";
import { Component, componentAt, componentCount, mcuColumns, mcuRows } from "./components";
import { nonzeroMask, shiftedMask } from "./nonzero";

/** Index of the first AC table, after the DC tables of luminance and chrominance. The AC tables are 2 and 3 here. */
const AC: usize = 2;
const ZRL: u32 = 0xf0;
/** Maximum category of a DC difference (T.81 tables F.1 and F.2). */
const MAX_DC_BITS: u32 = 11;
const MAX_AC_BITS: u32 = 10;
/** Maximum bytes of a block, with every byte stuffed. */
const MAX_BLOCK_BYTES: usize = 640;
const MAX_END_OF_BAND: u32 = 0x7fff;
/** Maximum number of correction bits collected before they are written. T.81 sets no limit. */
const MAX_PENDING_BITS: usize = 937;

/** True if a coefficient needs more bits than baseline JPEG has codes for. */
export let overflowed: bool = false;

let endOfBand: u32 = 0;
/**
 * Correction bits, one per byte: first the bits of the earlier blocks in the run, then the bits of the current block.
 */
const waiting: usize = memory.data(1024, 16);
let waitingCount: usize = 0;

@inline
function category(value: i32): u32 {
  return 32 - <u32>clz(value < 0 ? -value : value);
}

@inline
function putDifference(counting: bool, component: Component, dc: i32, table: usize): void {
  const difference = dc - component.prediction;
  component.prediction = dc;
  const size = category(difference);
  if (size > MAX_DC_BITS) overflowed = true;
  putSymbol(counting, table, size);
  if (size) putPlain(counting, difference + (difference >> 31), size);
}

@inline
function sequentialBlock(counting: bool, component: Component, block: usize, table: usize): void {
  putDifference(counting, component, load<i16>(block), table);
  let mask = nonzeroMask(block) & ~1;
  let last: u32 = 0;
  while (mask) {
    const k = <u32>ctz(mask);
    mask &= mask - 1;
    let run = k - last - 1;
    last = k;
    for (; run > 15; run -= 16) putSymbol(counting, table + AC, ZRL);
    const value = <i32>load<i16>(block + (<usize>k << 1));
    const size = category(value);
    if (size > MAX_AC_BITS) overflowed = true;
    putSymbol(counting, table + AC, (run << 4) | size);
    putPlain(counting, value + (value >> 31), size);
  }
  if (last < 63) putSymbol(counting, table + AC, 0);
}

/** Kinds of passes over interleaved MCUs. */
const SEQUENTIAL: u32 = 0;
const DC_FIRST: u32 = 1;
const DC_REFINE: u32 = 2;

@inline
function walkMcus(counting: bool, what: u32, low: i32): void {
  for (let index: u32 = 0; index < componentCount; index++) componentAt(index).prediction = 0;
  for (let row: u32 = 0; row < mcuRows; row++) {
    for (let mcu: u32 = 0; mcu < mcuColumns; mcu++) {
      if (!counting) roomFor(MAX_BLOCK_BYTES * 16);
      for (let index: u32 = 0; index < componentCount; index++) {
        const component = componentAt(index);
        // One table for the first component, another table for the other components; a single table if all components
        // are alike (CMYK).
        const table = <usize>component.dcTable;
        // With a single component, an MCU is a block, and there are no padding blocks.
        for (let y: u32 = 0; y < component.down; y++) {
          for (let x: u32 = 0; x < component.across; x++) {
            const block = component.block(mcu * component.across + x, row * component.down + y);
            if (what == SEQUENTIAL) sequentialBlock(counting, component, block, table);
            else if (what == DC_FIRST) putDifference(counting, component, <i32>load<i16>(block) >> low, table);
            else putPlain(counting, <i32>load<i16>(block) >> low, 1);
          }
        }
      }
    }
  }
}

@inline
function putWaiting(counting: bool, from: usize, count: usize): void {
  if (counting) {
    for (let index: usize = 0; index < count; index++) putPlain(true, 0, 1);
  } else {
    for (let index: usize = 0; index < count; index++) putPlain(false, load<u8>(waiting + from + index), 1);
  }
}

/** Codes a run of blocks without further coefficients, EOBn (T.81 G.1.2.2). */
@inline
function putEndOfBand(counting: bool, table: usize): void {
  if (endOfBand == 0) return;
  const size = 31 - <u32>clz(endOfBand);
  putSymbol(counting, table, size << 4);
  if (size) putPlain(counting, endOfBand, size);
  endOfBand = 0;
  putWaiting(counting, 0, waitingCount);
  waitingCount = 0;
}

@inline
function acFirst(counting: bool, block: usize, band: u64, last: u32, low: i32, table: usize, first: u32): void {
  let mask = shiftedMask(block, low) & band;
  let previous = first - 1;
  while (mask) {
    const k = <u32>ctz(mask);
    mask &= mask - 1;
    putEndOfBand(counting, table);
    let run = k - previous - 1;
    previous = k;
    for (; run > 15; run -= 16) putSymbol(counting, table, ZRL);
    const value = <i32>load<i16>(block + (<usize>k << 1));
    const sign = value >> 31;
    const magnitude = ((value ^ sign) - sign) >> low;
    const size = category(magnitude);
    if (size > MAX_AC_BITS) overflowed = true;
    putSymbol(counting, table, (run << 4) | size);
    putPlain(counting, magnitude ^ sign, size);
  }
  if (previous < last && ++endOfBand == MAX_END_OF_BAND) putEndOfBand(counting, table);
}

/**
 * Codes a refinement (T.81 G.1.2.3): the correction bits of known coefficients follow the code of a new coefficient.
 */
@inline
function acRefine(counting: bool, block: usize, band: u64, last: u32, low: i32, table: usize, first: u32): void {
  let mask = shiftedMask(block, low) & band;
  const old = shiftedMask(block, low + 1);
  const fresh = mask & ~old;
  const lastFresh: i32 = fresh ? 63 - <i32>clz(fresh) : -1;
  // Start and number of this block's correction bits. They follow the bits of the earlier blocks in the run.
  let own = waitingCount;
  let ownCount: usize = 0;
  let run: u32 = 0;
  let previous = first - 1;
  while (mask) {
    const k = <u32>ctz(mask);
    mask &= mask - 1;
    run += k - previous - 1;
    previous = k;
    while (run > 15 && <i32>k <= lastFresh) {
      putEndOfBand(counting, table);
      putSymbol(counting, table, ZRL);
      run -= 16;
      putWaiting(counting, own, ownCount);
      own = 0;
      ownCount = 0;
    }
    const value = <i32>load<i16>(block + (<usize>k << 1));
    if (old & (<u64>1 << k)) {
      store<u8>(waiting + own + ownCount++, <u8>(((value < 0 ? -value : value) >> low) & 1));
      continue;
    }
    putEndOfBand(counting, table);
    putSymbol(counting, table, (run << 4) | 1);
    putPlain(counting, value < 0 ? 0 : 1, 1);
    putWaiting(counting, own, ownCount);
    own = 0;
    ownCount = 0;
    run = 0;
  }
  if (previous < last || run > 0 || ownCount > 0) {
    endOfBand++;
    waitingCount = own + ownCount;
    if (endOfBand == MAX_END_OF_BAND || waitingCount > MAX_PENDING_BITS) putEndOfBand(counting, table);
  }
}

@inline
function walkBlocks(counting: bool, component: Component, first: u32, last: u32, refine: bool, low: i32): void {
  endOfBand = 0;
  waitingCount = 0;
  const band = (~(<u64>0) << first) & (~(<u64>0) >> (63 - last));
  const table = AC + component.acTable;
  for (let row: u32 = 0; row < component.usedRows; row++) {
    for (let column: u32 = 0; column < component.usedColumns; column++) {
      if (!counting) roomFor(MAX_BLOCK_BYTES + 2048);
      const block = component.block(column, row);
      if (refine) acRefine(counting, block, band, last, low, table, first);
      else acFirst(counting, block, band, last, low, table, first);
    }
  }
  putEndOfBand(counting, table);
}

export function sequentialScan(counting: bool): void {
  if (counting) walkMcus(true, SEQUENTIAL, 0);
  else walkMcus(false, SEQUENTIAL, 0);
}

/** Counts or writes a scan of all components. */
export function dcScan(counting: bool, refine: bool, low: i32): void {
  if (refine) {
    if (counting) walkMcus(true, DC_REFINE, low);
    else walkMcus(false, DC_REFINE, low);
  } else if (counting) walkMcus(true, DC_FIRST, low);
  else walkMcus(false, DC_FIRST, low);
}

/** Counts or writes a scan of one component. */
export function acScan(counting: bool, component: Component, first: u32, last: u32, refine: bool, low: i32): void {
  if (refine) {
    if (counting) walkBlocks(true, component, first, last, true, low);
    else walkBlocks(false, component, first, last, true, low);
  } else if (counting) walkBlocks(true, component, first, last, false, low);
  else walkBlocks(false, component, first, last, false, low);
}

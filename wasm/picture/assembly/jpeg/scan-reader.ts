// Decodes entropy-coded scans to coefficients: sequential (T.81 F.2) and progressive (T.81 G.2). Any deviation from the
// standard is an error: such images are left to decoders that tolerate damage.
import { bits, fill, isExhausted, startBits, symbol, takeRestart, value } from "./bit-reader";
import { Component, componentAt, mcuColumns, mcuRows } from "./components";

/** Index of the first AC table, after the four DC tables. */
const AC: usize = 4;
/** Maximum category for 8-bit samples (T.81 tables F.1 and F.2). */
const MAX_DC_BITS: u32 = 11;
const MAX_AC_BITS: u32 = 10;

/** Components of the scan, in order. */
const scanned: usize = memory.data(4);
let scannedCount: u32 = 0;
let firstIndex: u32 = 0;
let lastIndex: u32 = 63;
let high: u32 = 0;
let low: u32 = 0;
let restartInterval: u32 = 0;
let untilRestart: u32 = 0;
let restarts: u32 = 0;
let endOfBand: u32 = 0;
/** Index of the next row of MCUs, or of blocks if the scan has one component. */
let row: u32 = 0;

/** @param components - 8-bit indexes; the first index is the lowest byte */
export function startScan(
  from: usize,
  to: usize,
  count: u32,
  components: u32,
  first: u32,
  last: u32,
  ah: u32,
  al: u32,
  interval: u32,
): void {
  startBits(from, to);
  scannedCount = count;
  store<u32>(scanned, components);
  firstIndex = first;
  lastIndex = last;
  high = ah;
  low = al;
  restartInterval = interval;
  untilRestart = interval;
  restarts = 0;
  row = 0;
  forget();
}

function forget(): void {
  endOfBand = 0;
  for (let index: u32 = 0; index < 4; index++) componentAt(index).prediction = 0;
}

@inline
function scannedAt(index: u32): Component {
  return componentAt(load<u8>(scanned + index));
}

function sequentialBlock(component: Component, block: usize): bool {
  fill();
  const dcBits = symbol(component.dcTable);
  if (dcBits > MAX_DC_BITS) return false;
  if (dcBits) component.prediction += value(dcBits);
  store<i16>(block, <i16>component.prediction);
  const table = AC + component.acTable;
  for (let k: u32 = 1; k < 64; k++) {
    fill();
    const runAndSize = symbol(table);
    const size = runAndSize & 15;
    if (size == 0) {
      if (runAndSize == 0) break;
      if (runAndSize != 0xf0) return false;
      k += 15;
      continue;
    }
    k += runAndSize >> 4;
    if (k > 63 || size > MAX_AC_BITS || runAndSize > 255) return false;
    store<i16>(block + (<usize>k << 1), <i16>value(size));
  }
  return true;
}

function dcFirst(component: Component, block: usize): bool {
  fill();
  const dcBits = symbol(component.dcTable);
  if (dcBits > MAX_DC_BITS) return false;
  if (dcBits) component.prediction += value(dcBits);
  store<i16>(block, <i16>(component.prediction << low));
  return true;
}

function dcRefine(block: usize): bool {
  fill();
  if (bits(1)) store<i16>(block, <i16>(<i32>load<i16>(block) | (1 << low)));
  return true;
}

/** Decodes a first scan of AC coefficients (T.81 G.1.2.2). */
function acFirst(component: Component, block: usize): bool {
  if (endOfBand > 0) {
    endOfBand--;
    return true;
  }
  const table = AC + component.acTable;
  for (let k = firstIndex; k <= lastIndex; k++) {
    fill();
    const runAndSize = symbol(table);
    const run = runAndSize >> 4;
    const size = runAndSize & 15;
    if (size == 0) {
      if (runAndSize > 255) return false;
      if (run < 15) {
        endOfBand = (1 << run) - 1 + (run ? bits(run) : 0);
        break;
      }
      k += 15;
      continue;
    }
    k += run;
    if (k > lastIndex || size > MAX_AC_BITS || runAndSize > 255) return false;
    store<i16>(block + (<usize>k << 1), <i16>(value(size) << low));
  }
  return true;
}

@inline
function correct(at: usize): void {
  fill();
  if (!bits(1)) return;
  const coefficient = <i32>load<i16>(at);
  if (coefficient & (1 << low)) return;
  store<i16>(at, <i16>(coefficient + (coefficient < 0 ? -(1 << low) : 1 << low)));
}

/** Decodes a refinement scan of AC coefficients (T.81 G.1.2.3). */
function acRefine(component: Component, block: usize): bool {
  const table = AC + component.acTable;
  let k = firstIndex;
  if (endOfBand == 0) {
    for (; k <= lastIndex; k++) {
      fill();
      const runAndSize = symbol(table);
      if (runAndSize > 255) return false;
      let run = runAndSize >> 4;
      let fresh: i32 = 0;
      if (runAndSize & 15) {
        if ((runAndSize & 15) != 1) return false;
        fresh = bits(1) ? 1 << low : -(1 << low);
      } else if (run < 15) {
        endOfBand = 1 << run;
        if (run) endOfBand += bits(run);
        break;
      }
      for (; k <= lastIndex; k++) {
        const at = block + (<usize>k << 1);
        if (load<i16>(at)) correct(at);
        else if (run-- == 0) break;
      }
      if (fresh) {
        if (k > lastIndex) return false;
        store<i16>(block + (<usize>k << 1), <i16>fresh);
      }
    }
  }
  if (endOfBand > 0) {
    for (; k <= lastIndex; k++) {
      const at = block + (<usize>k << 1);
      if (load<i16>(at)) correct(at);
    }
    endOfBand--;
  }
  return true;
}

@inline
function readBlock(sequential: bool, component: Component, block: usize): bool {
  if (sequential) return sequentialBlock(component, block);
  if (firstIndex == 0) return high == 0 ? dcFirst(component, block) : dcRefine(block);
  return high == 0 ? acFirst(component, block) : acRefine(component, block);
}

@inline
function restart(): bool {
  if (restartInterval == 0) return true;
  if (untilRestart == 0) {
    if (!takeRestart(restarts++)) return false;
    untilRestart = restartInterval;
    forget();
  }
  untilRestart--;
  return true;
}

/** Decodes one row of MCUs (T.81 A.2.3); for a single component, one row of blocks (A.2.2). */
@inline
function readRow(sequential: bool): bool {
  if (scannedCount == 1) {
    const component = scannedAt(0);
    const held = row % component.heldRows;
    for (let column: u32 = 0; column < component.usedColumns; column++) {
      if (!restart() || !readBlock(sequential, component, component.block(column, held))) return false;
    }
  } else {
    for (let mcu: u32 = 0; mcu < mcuColumns; mcu++) {
      if (!restart()) return false;
      for (let index: u32 = 0; index < scannedCount; index++) {
        const component = scannedAt(index);
        const top = (row * component.down) % component.heldRows;
        const left = mcu * component.across;
        for (let y: u32 = 0; y < component.down; y++) {
          for (let x: u32 = 0; x < component.across; x++) {
            if (!readBlock(sequential, component, component.block(left + x, top + y))) return false;
          }
        }
      }
    }
  }
  row++;
  return !isExhausted();
}

@inline
function scanRows(): u32 {
  return scannedCount == 1 ? scannedAt(0).usedRows : mcuRows;
}

/** Reads a scan to its end. @returns false if the scan is invalid or incomplete */
export function readScan(sequential: bool): bool {
  const rows = scanRows();
  if (sequential) {
    while (row < rows) if (!readRow(true)) return false;
  } else {
    while (row < rows) if (!readRow(false)) return false;
  }
  return true;
}

/**
 * Reads the next row of MCUs of a sequential scan, into the memory of the previous row. @returns false if the row is
 * invalid or incomplete
 */
export function readMcuRow(): bool {
  for (let index: u32 = 0; index < scannedCount; index++) {
    const component = scannedAt(index);
    memory.fill(component.blocks, 0, <usize>component.heldRows * component.columns * 128);
  }
  if (scannedCount > 1) return readRow(true);
  // With a single component, an MCU is a block, so one row is read per row of blocks in memory.
  for (let y: u32 = 0; y < scannedAt(0).heldRows && row < scannedAt(0).usedRows; y++) if (!readRow(true)) return false;
  return true;
}

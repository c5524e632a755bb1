// Interface of the kernel. One instance processes one image: it reads and writes JPEG data as coefficients, resamples,
// counts colors, and codes bilevel pixels. The caller handles files, markers and PDF.
import { quantizers as jpegQuantizers } from "../../jpeg/assembly/layout";
import { deriveFactors, deriveZigzag } from "../../jpeg/assembly/tables";
import { bitsPosition, definition, setReadTable } from "./jpeg/bit-reader";
import { counts, finishWriting, setWriteTable, startCounting, startWriting } from "./jpeg/bit-writer";
import { BLOCK_BYTES, componentAt } from "./jpeg/components";
import { takeNothing, takePixels as takePixelRows, takeSamples as takeSampleRows } from "./jpeg/forward";
import { reconstruct as reconstructRow } from "./jpeg/inverse";
import { allocate } from "./memory";
import { nonzeroMask } from "./jpeg/nonzero";
import { acScan as acScanOf } from "./jpeg/scan-writer";

export { addAreaRow, areaRows, newArea } from "./area";
export { compareLayers, splitRgb, takeBackdrop } from "./backdrop";
export { bilevelBytes, encodeBilevel } from "./bilevel";
export { plainBits } from "./jpeg/bit-writer";
export { colorCount, colors, countRow, isGray, likeLeft, startCensus } from "./census";
export { layOut } from "./jpeg/components";
export { enlargePlane } from "./enlarge";
export { markInk } from "./ink";
export { allocate, reserve, reset, top } from "./memory";
export {
  filterRow,
  interleave,
  lookUp,
  pack,
  pad,
  planeOf,
  threshold,
  toRgb,
  undifference,
  unfilter,
  unpack,
} from "./pixels";
export { readMcuRow, readScan, startScan } from "./jpeg/scan-reader";
export {
  bitsOfInk,
  choices,
  describeShapes,
  dropShapes,
  findShapes,
  paintShapes,
  shapeCount,
  shapes,
} from "./shapes";
export { dcScan, overflowed, sequentialScan } from "./jpeg/scan-writer";
export { counts, finishWriting, setReadTable, startCounting, startWriting };

/** Current offset in a scan, which is never beyond a marker. */
export { bitsPosition };

/** Receives the definitions of Huffman tables: BITS (16 bytes), HUFFVAL (256 bytes). */
export const tableDefinition: usize = definition;
/** Two tables of 64 8-bit steps, row by row, for {@link startQuantizing}. */
export const quantizers: usize = jpegQuantizers;

/** Allocates memory for the blocks and the quantizer steps of a component. */
export function placeComponent(
  index: u32,
  columns: u32,
  rows: u32,
  usedColumns: u32,
  usedRows: u32,
  across: u32,
  down: u32,
  heldRows: u32,
): void {
  const component = componentAt(index);
  component.columns = columns;
  component.rows = rows;
  component.usedColumns = usedColumns;
  component.usedRows = usedRows;
  component.across = across;
  component.down = down;
  component.heldRows = heldRows;
  component.blocks = allocate(<usize>columns * heldRows * BLOCK_BYTES);
  component.steps = allocate(128);
}

export function stepsOf(index: u32): usize {
  return componentAt(index).steps;
}

export function setTables(index: u32, dc: u32, ac: u32): void {
  componentAt(index).dcTable = dc;
  componentAt(index).acTable = ac;
}

/**
 * Reconstructs the samples of a row of blocks, which must be in memory. @returns the first of eight rows of `columns *
 * 8` bytes
 */
export function reconstruct(index: u32, row: u32): usize {
  const component = componentAt(index);
  if (component.strip == 0) component.strip = allocate(<usize>component.columns * 64);
  reconstructRow(component, row);
  return component.strip;
}

/** Reports whether all coefficients of the component are zero, as in a gray image. */
export function isEmpty(index: u32): bool {
  const component = componentAt(index);
  const end = component.block(0, component.heldRows);
  for (let block = component.blocks; block < end; block += BLOCK_BYTES) if (nonzeroMask(block)) return false;
  return true;
}

/**
 * Prepares quantization. Call it after the quantizers are stored, and before {@link takeSamples} or {@link takePixels}.
 */
export function startQuantizing(): void {
  deriveZigzag();
  deriveFactors(true);
}

/** Transforms and quantizes eight rows of samples of a component; see forward.ts. */
export function takeSamples(index: u32, row: u32, from: usize, stride: usize, table: u32): void {
  const component = componentAt(index);
  if (row < component.usedRows) takeSampleRows(component, row, from, stride, table);
  else takeNothing(component, row);
}

/** Transforms and quantizes a row of MCUs of RGB pixels; see forward.ts. */
export function takePixels(kind: u32, row: u32, from: usize): void {
  takePixelRows(kind, row, from);
}

/** Counts or writes a scan of AC coefficients of one component. */
export function acScan(counting: bool, index: u32, first: u32, last: u32, refine: bool, low: i32): void {
  acScanOf(counting, componentAt(index), first, last, refine, low);
}

/** Sets the codes with which a table is written, from {@link tableDefinition}. */
export function setCodes(table: u32): void {
  setWriteTable(table, definition);
}

// The components of the picture at work: their blocks of quantised coefficients (T.81 A.1.1, A.2) and their samples.

/** Bytes of a block: 64 coefficients of 16 bits in zigzag order. */
export const BLOCK_BYTES: usize = 128;
export const MOST_COMPONENTS: u32 = 4;

@unmanaged
export class Component {
  /** Blocks a row and a column, with those that only make MCUs whole. */
  columns: u32;
  rows: u32;
  /** Those that hold any of the picture. */
  usedColumns: u32;
  usedRows: u32;
  /** Sampling factors: blocks of an MCU. */
  across: u32;
  down: u32;
  /** Huffman tables, 0 to 3. */
  dcTable: u32;
  acTable: u32;
  /** The DC coefficient before. */
  prediction: i32;
  /** Rows of blocks that there is memory for: all, or those of one row of MCUs, used again and again. */
  heldRows: u32;
  /** The first block. */
  blocks: usize;
  /** 64 quantiser steps of 16 bits in zigzag order. */
  steps: usize;
  /** Eight rows of samples, `columns * 8` bytes each. */
  strip: usize;

  @inline
  block(column: u32, row: u32): usize {
    return this.blocks + (<usize>row * this.columns + column) * BLOCK_BYTES;
  }
}

const SIZE: usize = offsetof<Component>();
const all: usize = memory.data(256, 16);

/** How many there are, and the most blocks of an MCU in each direction. */
export let componentCount: u32 = 0;
export let mcuAcross: u32 = 1;
export let mcuDown: u32 = 1;
export let mcuColumns: u32 = 0;
export let mcuRows: u32 = 0;

@inline
export function componentAt(index: u32): Component {
  return changetype<Component>(all + <usize>index * SIZE);
}

/** Says how many components the picture has, and how many MCUs. */
export function layOut(count: u32, across: u32, down: u32, columns: u32, rows: u32): void {
  memory.fill(all, 0, 256);
  componentCount = count;
  mcuAcross = across;
  mcuDown = down;
  mcuColumns = columns;
  mcuRows = rows;
}

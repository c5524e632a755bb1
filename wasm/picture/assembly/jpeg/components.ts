// The components of the current image: blocks of quantized coefficients (T.81 A.1.1, A.2), and samples.

/** Bytes of a block: 64 coefficients of 16 bits in zigzag order. */
export const BLOCK_BYTES: usize = 128;
export const MAX_COMPONENTS: u32 = 4;

@unmanaged
export class Component {
  /** Blocks per row and column, including blocks outside the image that fill up its last MCUs. */
  columns: u32;
  rows: u32;
  /** Blocks per row and column that contain part of the image. */
  usedColumns: u32;
  usedRows: u32;
  /** Sampling factors: blocks per MCU. */
  across: u32;
  down: u32;
  /** Huffman table numbers, 0 to 3. */
  dcTable: u32;
  acTable: u32;
  /** DC coefficient of the previous block. */
  prediction: i32;
  /** Number of rows of blocks in memory: all rows, or the rows of one row of MCUs, whose memory is reused. */
  heldRows: u32;
  /** Address of the first block. */
  blocks: usize;
  /** Address of 64 quantizer steps of 16 bits in zigzag order. */
  steps: usize;
  /** Address of eight rows of samples, `columns * 8` bytes each. */
  strip: usize;

  @inline
  block(column: u32, row: u32): usize {
    return this.blocks + (<usize>row * this.columns + column) * BLOCK_BYTES;
  }
}

const SIZE: usize = offsetof<Component>();
const all: usize = memory.data(256, 16);

/** Number of components, and maximum number of blocks per MCU in each direction. */
export let componentCount: u32 = 0;
export let mcuAcross: u32 = 1;
export let mcuDown: u32 = 1;
export let mcuColumns: u32 = 0;
export let mcuRows: u32 = 0;

@inline
export function componentAt(index: u32): Component {
  return changetype<Component>(all + <usize>index * SIZE);
}

/** Sets the number of components and MCUs of the image. */
export function layOut(count: u32, across: u32, down: u32, columns: u32, rows: u32): void {
  memory.fill(all, 0, 256);
  componentCount = count;
  mcuAcross = across;
  mcuDown = down;
  mcuColumns = columns;
  mcuRows = rows;
}

// Reads JPEG coefficients into the kernel: all of them, or one row of MCUs at a time.

import type { ImageKernel } from "../../image-kernel.ts";
import { JpegFile, type JpegFrame, type JpegScan, UnreadableJpeg } from "../file.ts";

/** Maximum number of scans. Encoders write a dozen, hostile files thousands. */
const MAX_SCANS = 100;

/** The block layout of a component. */
export interface BlockGrid {
  /** Sampling factors. */
  readonly across: number;
  readonly down: number;
  readonly columns: number;
  readonly rows: number;
  /** Columns and rows of blocks that overlap the image. */
  readonly usedColumns: number;
  readonly usedRows: number;
}

export interface McuGrid {
  readonly across: number;
  readonly down: number;
  readonly columns: number;
  readonly rows: number;
  readonly components: readonly BlockGrid[];
}

/** Returns the block layout of an image with these sampling factors (T.81 A.1.1 and A.2). */
export function gridOf(
  width: number,
  height: number,
  sampling: readonly { readonly across: number; readonly down: number }[],
): McuGrid {
  // A single component is not interleaved: its MCU is one block, regardless of its sampling factors.
  const factors = sampling.length === 1 ? [{ across: 1, down: 1 }] : sampling;
  const across = Math.max(...factors.map((factor) => factor.across));
  const down = Math.max(...factors.map((factor) => factor.down));
  const columns = Math.ceil(width / (8 * across));
  const rows = Math.ceil(height / (8 * down));
  return {
    across,
    down,
    columns,
    rows,
    components: factors.map((factor) => ({
      across: factor.across,
      down: factor.down,
      columns: columns * factor.across,
      rows: rows * factor.down,
      usedColumns: Math.ceil(Math.ceil((width * factor.across) / across) / 8),
      usedRows: Math.ceil(Math.ceil((height * factor.down) / down) / 8),
    })),
  };
}

/** Returns the size of all coefficients in bytes. */
export function coefficientBytes({ components }: McuGrid): number {
  return components.reduce((sum, { columns, rows }) => sum + columns * rows * 128, 0);
}

/** Passes the block layout to the kernel. @param whole true for all blocks, false for one row of MCUs */
export function placeGrid({ exports }: ImageKernel, grid: McuGrid, whole: boolean): void {
  exports.layOut(grid.components.length, grid.across, grid.down, grid.columns, grid.rows);
  grid.components.forEach(({ columns, rows, usedColumns, usedRows, across, down }, index) => {
    exports.placeComponent(index, columns, rows, usedColumns, usedRows, across, down, whole ? rows : down);
  });
}

/** Reads a JPEG into the kernel. */
export class JpegReader {
  readonly file: JpegFile;
  readonly frame: JpegFrame;
  readonly grid: McuGrid;
  readonly #kernel: ImageKernel;
  readonly #bytesAt: number;
  readonly #seen = new Set<number>();
  #scan: JpegScan | undefined;

  /** @throws UnreadableJpeg */
  constructor(kernel: ImageKernel, bytes: Uint8Array) {
    this.#kernel = kernel;
    this.file = new JpegFile(bytes);
    this.#scan = this.file.nextScan();
    if (!this.file.frame || !this.#scan) throw new UnreadableJpeg("no picture");
    this.frame = this.file.frame;
    this.grid = gridOf(this.frame.width, this.frame.height, this.frame.components);
    this.#bytesAt = kernel.put(bytes);
  }

  /** True if the JPEG has one sequential scan, which can be read one row of MCUs at a time. */
  get isOneScan(): boolean {
    return !this.frame.progressive && this.#scan?.components.length === this.frame.components.length;
  }

  /** Reads all coefficients. @throws UnreadableJpeg if data are missing or wrong */
  readAll(): void {
    placeGrid(this.#kernel, this.grid, true);
    const { exports } = this.#kernel;
    for (let count = 0; this.#scan; count++) {
      if (count >= MAX_SCANS) throw new UnreadableJpeg("too many scans");
      this.#start(this.#scan);
      if (!exports.readScan(this.frame.progressive ? 0 : 1)) throw new UnreadableJpeg("damaged data");
      this.file.continueAt(exports.bitsPosition() - this.#bytesAt);
      this.#scan = this.file.nextScan();
    }
    if (this.#seen.size < this.frame.components.length) throw new UnreadableJpeg("a component is missing");
  }

  /** Prepares for {@link JpegReader.readRow}. Must be called only if {@link JpegReader.isOneScan}. */
  startRows(): void {
    placeGrid(this.#kernel, this.grid, false);
    this.#start(this.#scan!);
  }

  /** Reads the next row of MCUs into the memory of the previous row. @throws UnreadableJpeg */
  readRow(): void {
    if (!this.#kernel.exports.readMcuRow()) throw new UnreadableJpeg("damaged data");
  }

  #start(scan: JpegScan): void {
    const { exports } = this.#kernel;
    let indices = 0;
    scan.components.forEach(({ index, dc, ac }, position) => {
      indices |= index << (8 * position);
      exports.setTables(index, dc, ac);
      if (!this.#seen.has(index)) this.#takeSteps(index);
      if (scan.first === 0 && scan.high === 0) this.#takeTable(dc);
      if (scan.last > 0) this.#takeTable(4 + ac);
    });
    const { start, components, first, last, high, low } = scan;
    const end = this.#bytesAt + this.file.bytes.length;
    const from = this.#bytesAt + start;
    exports.startScan(from, end, components.length, indices, first, last, high, low, this.file.restartInterval);
  }

  #takeSteps(index: number): void {
    const steps = this.file.quantizers[this.frame.components[index]!.quantizer];
    if (!steps) throw new UnreadableJpeg("a quantizer is missing");
    this.#kernel.view(this.#kernel.exports.stepsOf(index), 128).set(new Uint8Array(steps.buffer));
    this.#seen.add(index);
  }

  #takeTable(table: number): void {
    const definition = this.file.huffman[table];
    if (!definition) throw new UnreadableJpeg("a Huffman table is missing");
    const { exports } = this.#kernel;
    this.#kernel.view(exports.tableDefinition.value, 272).set(definition.bytes);
    exports.setReadTable(table);
  }
}

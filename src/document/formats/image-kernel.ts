// Wraps the Wasm kernel for single images: JPEG coefficients, resampling, color statistics, bilevel coding. Provides
// instances and views of their memory.
import pictureModule from "#wasm/picture.wasm";

/** An address in the kernel's memory. */
export type Address = number;

/** Exports of wasm/picture/assembly/index.ts. Booleans are 0 and 1. */
export interface PictureExports {
  readonly memory: WebAssembly.Memory;
  readonly top: WebAssembly.Global;
  readonly tableDefinition: WebAssembly.Global;
  readonly quantizers: WebAssembly.Global;
  readonly counts: WebAssembly.Global;
  readonly plainBits: WebAssembly.Global;
  readonly overflowed: WebAssembly.Global;
  readonly bilevelBytes: WebAssembly.Global;
  readonly likeLeft: WebAssembly.Global;
  readonly colorCount: WebAssembly.Global;
  readonly colors: WebAssembly.Global;
  readonly isGray: WebAssembly.Global;
  readonly shapeCount: WebAssembly.Global;
  readonly shapes: WebAssembly.Global;
  readonly choices: WebAssembly.Global;

  reset(): void;
  allocate(bytes: number): Address;
  reserve(end: Address): void;

  layOut(components: number, across: number, down: number, mcuColumns: number, mcuRows: number): void;
  placeComponent(
    index: number,
    columns: number,
    rows: number,
    usedColumns: number,
    usedRows: number,
    across: number,
    down: number,
    heldRows: number,
  ): void;
  stepsOf(index: number): Address;
  setTables(index: number, dc: number, ac: number): void;
  isEmpty(index: number): number;

  setReadTable(table: number): void;
  startScan(
    from: Address,
    to: Address,
    count: number,
    components: number,
    first: number,
    last: number,
    high: number,
    low: number,
    restartInterval: number,
  ): void;
  readScan(sequential: number): number;
  readMcuRow(): number;
  bitsPosition(): Address;
  reconstruct(index: number, row: number): Address;

  startQuantizing(): void;
  takeSamples(index: number, row: number, from: Address, stride: number, table: number): void;
  takePixels(kind: number, row: number, from: Address): void;

  startCounting(): void;
  startWriting(at: Address): void;
  setCodes(table: number): void;
  sequentialScan(counting: number): void;
  dcScan(counting: number, refine: number, low: number): void;
  acScan(counting: number, component: number, first: number, last: number, refine: number, low: number): void;
  finishWriting(): number;

  newArea(
    channels: number,
    sourceWidth: number,
    sourceRows: number,
    width: number,
    height: number,
    scaleX: number,
    scaleY: number,
    target: Address,
    stride: number,
  ): Address;
  addAreaRow(area: Address, row: Address): void;
  areaRows(area: Address): number;

  startCensus(): void;
  countRow(from: Address, to: Address, width: number, channels: number): void;

  unpack(from: Address, to: Address, count: number, bits: number, full: number): void;
  pack(from: Address, to: Address, count: number, bits: number): void;
  threshold(from: Address, to: Address, count: number, invert: number): void;
  lookUp(from: Address, to: Address, count: number, palette: Address, channels: number): void;
  unfilter(filter: number, row: Address, above: Address, bytes: number, pixelBytes: number): number;
  undifference(row: Address, bytes: number, pixelBytes: number): void;
  filterRow(row: Address, above: Address, bytes: number, pixelBytes: number, to: Address): void;
  toRgb(y: Address, cb: Address, cr: Address, to: Address, count: number): void;
  interleave(plane: Address, to: Address, count: number, channels: number): void;
  planeOf(from: Address, to: Address, count: number, channels: number): void;
  pad(at: Address, width: number, height: number, stride: number, rows: number, pixelBytes: number): void;
  encodeBilevel(from: Address, width: number, height: number): Address;

  splitRgb(from: Address, width: number, y: Address, cb: Address, cr: Address): void;
  enlargePlane(
    from: Address,
    fromStride: number,
    across: number,
    down: number,
    to: Address,
    stride: number,
    width: number,
    height: number,
  ): void;
  markInk(plane: Address, stride: number, width: number, height: number, marks: Address): void;
  findShapes(marks: Address, width: number, height: number): number;
  describeShapes(y: Address, stride: number, cb: Address, cr: Address, colorStride: number): void;
  paintShapes(beside: number): void;
  dropShapes(tiles: Address, tilesAcross: number, tileShift: number): void;
  bitsOfInk(ink: number, to: Address): number;
  takeBackdrop(
    plane: Address,
    stride: number,
    width: number,
    height: number,
    marks: Address,
    marksStride: number,
    shift: number,
    to: Address,
    toStride: number,
    across: number,
    down: number,
  ): void;
  compareLayers(
    plane: Address,
    stride: number,
    width: number,
    height: number,
    marks: Address,
    marksStride: number,
    shift: number,
    inks: Address,
    low: Address,
    lowStride: number,
    across: number,
    down: number,
    tileShift: number,
    tilesAcross: number,
    errors: Address,
  ): void;
}

/** Maximum number of idle instances, and maximum memory of each. */
const MAX_IDLE = 2;
const MAX_IDLE_BYTES = 8 << 20;
const idle: PictureExports[] = [];

/** A kernel instance, for one image at a time. Views of its memory are valid until the memory grows. */
export class ImageKernel implements Disposable {
  readonly exports: PictureExports;

  constructor() {
    this.exports = idle.pop() ?? (new WebAssembly.Instance(pictureModule).exports as unknown as PictureExports);
    this.exports.reset();
  }

  /** Returns a view that must be used before the next call. */
  view(at: Address, bytes: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.exports.memory.buffer as ArrayBuffer, at, bytes);
  }

  /** Copies bytes to newly allocated memory, followed by a few zeros. */
  put(bytes: Uint8Array): Address {
    const at = this.exports.allocate(bytes.length + 16);
    this.view(at, bytes.length).set(bytes);
    return at;
  }

  /** Returns the size of the kernel's memory in bytes. */
  get memoryBytes(): number {
    return this.exports.memory.buffer.byteLength;
  }

  /** Returns the instance to the pool. */
  [Symbol.dispose](): void {
    if (idle.length < MAX_IDLE && this.memoryBytes <= MAX_IDLE_BYTES) idle.push(this.exports);
  }
}

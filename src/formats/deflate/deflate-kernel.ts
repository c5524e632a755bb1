// The Wasm kernel that turns rows of pixels into zlib streams, and the few instances of it that wait for work.
// Knows no picture formats and no rasters.
import deflateModule from "#wasm/deflate.wasm";

/** As wasm/deflate/assembly/index.ts exports it. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly rows: WebAssembly.Global;
  readonly chunkRows: WebAssembly.Global;
  readonly output: WebAssembly.Global;
  start(kind: number, rowBytes: number, pixelBytes: number): void;
  begin(): void;
  encode(count: number): void;
  finish(): void;
  size(): number;
  take(): number;
}

/**
 * What is compressed: rows with a filter type before each, chosen by the kernel (PNG 3rd ed. clause 9); samples as they are;
 * or differences to the pixel on the left (TIFF 6.0 section 14).
 */
export type RowForm = "filtered" | "samples" | "differences";

const FORMS: Readonly<Record<RowForm, number>> = { filtered: 0, samples: 1, differences: 2 };

/** The kernel never takes more rows together. */
export const MAX_CHUNK_ROWS = 4096;
/** Output must be taken before more rows are compressed once there is so much of it. */
export const OUTPUT_BYTES = 64 * 1024;

/** The kernel holds about five rows, and has 4 GiB for them. */
const MAX_ROW_BYTES = 2 ** 29;

/** More instances than this never wait, and none whose memory grew beyond this many bytes for a wide picture. */
const MAX_IDLE = 2;
const MAX_IDLE_BYTES = 2 << 20;
const idle: Exports[] = [];

export interface DeflateKernel {
  /** Where the next rows belong, {@link DeflateKernel.chunkRows} of them; valid until the kernel is given back. */
  readonly rows: Uint8Array;
  /** As many rows as are about 256 KiB, but one at least. */
  readonly chunkRows: number;
  /** Bytes of output that are not taken yet. */
  readonly size: number;
  /** Compresses the first `count` of {@link DeflateKernel.rows}. */
  encode(count: number): void;
  /** Ends the stream. */
  finish(): void;
  /** Begins another stream after {@link DeflateKernel.finish}, which shares nothing with the one before. */
  begin(): void;
  /**
   * The output since the last call, valid until the next call of another method.
   * @param before - bytes to have before it, up to 16, which the caller may write
   * @param after - the same, after it
   */
  take(before?: number, after?: number): Uint8Array;
  /** Lets another picture have the instance. The kernel must not be used after that. */
  release(): void;
}

/**
 * An instance of its own for one picture, with a stream begun.
 * @param rowBytes - bytes of a row of samples
 * @param pixelBytes - 1, 3 or 4, or twice that
 * @throws RangeError if there is no memory for rows so long
 */
export function startDeflate(form: RowForm, rowBytes: number, pixelBytes: number): DeflateKernel {
  if (rowBytes > MAX_ROW_BYTES) throw new RangeError(`Rows of ${rowBytes} bytes are too long to compress`);
  const exports = idle.pop() ?? (new WebAssembly.Instance(deflateModule).exports as unknown as Exports);
  exports.start(FORMS[form], rowBytes, pixelBytes);
  // Taken after start, which may have grown the memory and so detached its buffer.
  const { buffer } = exports.memory;
  const chunkRows: number = exports.chunkRows.value;
  const output: number = exports.output.value;
  return {
    rows: new Uint8Array(buffer, exports.rows.value, chunkRows * rowBytes),
    chunkRows,
    get size() {
      return exports.size();
    },
    encode: (count) => exports.encode(count),
    finish: () => exports.finish(),
    begin: () => exports.begin(),
    take: (before = 0, after = 0) => new Uint8Array(buffer, output - before, before + exports.take() + after),
    release() {
      if (idle.length < MAX_IDLE && buffer.byteLength <= MAX_IDLE_BYTES) idle.push(exports);
    },
  };
}

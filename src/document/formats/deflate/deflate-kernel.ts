// Wraps the Wasm kernel that compresses rows of pixels into zlib streams, and pools idle instances.
import deflateModule from "#wasm/deflate.wasm";

/** Exports of wasm/deflate/assembly/index.ts. */
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
 * How rows are compressed: with a filter type that the kernel chooses (PNG 3rd ed. clause 9), unchanged, or as
 * differences from the left pixel (TIFF 6.0 section 14).
 */
export type RowForm = "filtered" | "samples" | "differences";

const FORMS: Readonly<Record<RowForm, number>> = { filtered: 0, samples: 1, differences: 2 };

/** Maximum number of rows per kernel call. */
export const MAX_CHUNK_ROWS = 4096;
/** Output buffer size. A full buffer must be emptied before more rows are compressed. */
export const OUTPUT_BYTES = 64 * 1024;

/** Maximum bytes per row. The kernel has at most 4 GiB, and needs memory for about five rows. */
const MAX_ROW_BYTES = 2 ** 29;

/**
 * Maximum number of idle instances, and maximum memory of each. An instance that has grown larger for a wide image is
 * dropped.
 */
const MAX_IDLE = 2;
const MAX_IDLE_BYTES = 2 << 20;
const idle: Exports[] = [];

export interface DeflateKernel {
  /** Memory for the next {@link DeflateKernel.chunkRows} rows; valid until the kernel is released. */
  readonly rows: Uint8Array;
  /** Number of rows in about 256 KiB, at least one. */
  readonly chunkRows: number;
  /** Bytes of output not yet taken. */
  readonly size: number;
  /** Compresses the first `count` rows of {@link DeflateKernel.rows}. */
  encode(count: number): void;
  /** Ends the stream. */
  finish(): void;
  /** Starts another, independent stream after {@link DeflateKernel.finish}. */
  begin(): void;
  /**
   * Returns the output since the last call, valid until the next call of another method.
   * @param before number of bytes to reserve before the output, at most 16; the caller can write them
   * @param after number of bytes to reserve after the output
   */
  take(before?: number, after?: number): Uint8Array;
  /** Returns the instance to the pool. It must not be used afterwards. */
  release(): void;
}

/**
 * Returns an instance with a new stream.
 * @param rowBytes bytes of a row of samples
 * @param pixelBytes bytes of a pixel: 1, 3 or 4; twice as many with 16 bits per sample
 * @throws RangeError if there is no memory for such long rows
 */
export function startDeflate(form: RowForm, rowBytes: number, pixelBytes: number): DeflateKernel {
  if (rowBytes > MAX_ROW_BYTES) throw new RangeError(`Rows of ${rowBytes} bytes are too long to compress`);
  const exports = idle.pop() ?? (new WebAssembly.Instance(deflateModule).exports as unknown as Exports);
  exports.start(FORMS[form], rowBytes, pixelBytes);
  // The buffer is read after `start`, which can grow the memory and so detach the previous buffer.
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

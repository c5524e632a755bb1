// Wraps the Wasm kernel that converts rows of pixels to entropy-coded data, and pools idle instances.
import jpegModule from "#wasm/jpeg.wasm";
import type { HuffmanTables } from "./entropy/huffman.ts";
import type { JpegKind } from "./write-header.ts";

/** Exports of wasm/jpeg/assembly/index.ts. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly quantizers: WebAssembly.Global;
  readonly huffman: WebAssembly.Global;
  readonly rows: WebAssembly.Global;
  readonly output: WebAssembly.Global;
  start(kind: number, width: number, exact: number): void;
  encode(rows: number): number;
  finish(): void;
  take(): number;
}

const KINDS: Readonly<Record<JpegKind, number>> = { gray: 0, "ycbcr-444": 1, "ycbcr-420": 2, cmyk: 3 };

/** Bytes of a Huffman table in the kernel: BITS and space for all 256 symbols. */
const HUFFMAN_BYTES = 16 + 256;

/**
 * Maximum number of idle instances, and maximum memory of each. An instance that grew larger for a wide image is
 * dropped.
 */
const MAX_IDLE = 2;
const MAX_IDLE_BYTES = 1 << 20;
const idle: Exports[] = [];

export interface JpegKernel {
  /** Memory for one row of MCUs; valid until the kernel is released. */
  readonly rows: Uint8Array;
  /**
   * Codes the first `count` rows of {@link JpegKernel.rows}. Only the last row of MCUs can be incomplete.
   * @returns true if the output buffer is full: the caller must call {@link JpegKernel.take} and repeat the call for
   * the same rows
   */
  encode(count: number): boolean;
  /** Ends the scan and writes EOI. */
  finish(): void;
  /** Returns the output since the last call, valid until the next call of `encode`. */
  take(): Uint8Array;
  /** Returns the instance to the pool. It must not be used afterwards. */
  release(): void;
}

/**
 * Returns an instance for one image.
 * @param rowBytes bytes of the pixels in one row of MCUs
 * @param exact true for the slower transform, which stays accurate with very fine or very coarse quantizers
 */
export function startKernel(
  kind: JpegKind,
  width: number,
  rowBytes: number,
  quantizers: readonly [Uint8Array, Uint8Array],
  huffmanTables: HuffmanTables,
  exact: boolean,
): JpegKernel {
  const exports = idle.pop() ?? (new WebAssembly.Instance(jpegModule).exports as unknown as Exports);
  const memory = new Uint8Array(exports.memory.buffer);
  quantizers.forEach((steps, index) => {
    memory.set(steps, exports.quantizers.value + index * steps.length);
  });
  huffmanTables.forEach(({ lengths, symbols }, index) => {
    const at = exports.huffman.value + index * HUFFMAN_BYTES;
    memory.set(lengths, at);
    memory.set(symbols, at + lengths.length);
  });
  exports.start(KINDS[kind], width, exact ? 1 : 0);
  // The buffer is read after `start`, which can grow the memory and so detach the previous buffer.
  const { buffer } = exports.memory;
  return {
    rows: new Uint8Array(buffer, exports.rows.value, rowBytes),
    encode: (count) => exports.encode(count) !== 0,
    finish: () => exports.finish(),
    take: () => new Uint8Array(buffer, exports.output.value, exports.take()),
    release() {
      if (idle.length < MAX_IDLE && buffer.byteLength <= MAX_IDLE_BYTES) idle.push(exports);
    },
  };
}

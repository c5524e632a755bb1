// Wraps the Wasm kernel that turns rows of pixels into entropy-coded bytes, and pools a few idle instances of it. Knows
// nothing about markers or rasters.
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

/** Bytes of one Huffman table in the kernel: BITS and room for every symbol. */
const HUFFMAN_BYTES = 16 + 256;

/**
 * Limits the idle instances, and the memory of each. An instance whose memory grew beyond it for a wide picture is
 * dropped.
 */
const MAX_IDLE = 2;
const MAX_IDLE_BYTES = 1 << 20;
const idle: Exports[] = [];

export interface JpegKernel {
  /** Memory for the rows of one row of MCUs; valid until the kernel is released. */
  readonly rows: Uint8Array;
  /**
   * Codes the first `count` of {@link JpegKernel.rows}. Fewer rows than the height of an MCU are permitted only at the
   * end of the picture.
   * @returns whether the caller must call {@link JpegKernel.take} and then this method again, for the rest of the same
   * rows
   */
  encode(count: number): boolean;
  /** Ends the scan and the file (EOI). */
  finish(): void;
  /** Returns the codes since the last call, valid until the next call of `encode`. */
  take(): Uint8Array;
  /** Releases the instance for another picture. The kernel must not be used afterwards. */
  release(): void;
}

/**
 * Returns an instance for one picture.
 * @param rowBytes bytes of the rows of one row of MCUs
 * @param exact uses the slower transform, which loses nothing if quantizers are very fine or very coarse
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
  // The buffer is read after start, which may have grown the memory and so detached the previous buffer.
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

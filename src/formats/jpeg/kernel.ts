// The Wasm kernel that turns rows of pixels into entropy-coded bytes, and the few instances of it that wait for work.
// Knows no markers and no rasters.
import jpegModule from "#wasm/jpeg.wasm";
import type { HuffmanTables } from "./huffman.ts";
import type { JpegKind } from "./write-header.ts";

/** As wasm/jpeg/assembly/index.ts exports it. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly quantisers: WebAssembly.Global;
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

/** More instances than this never wait, and none whose memory grew beyond this many bytes for a wide picture. */
const MAX_IDLE = 2;
const MAX_IDLE_BYTES = 1 << 20;
const idle: Exports[] = [];

export interface JpegKernel {
  /** Where the rows of one row of MCUs belong; valid until the kernel is given back. */
  readonly rows: Uint8Array;
  /**
   * Codes the first `count` of {@link JpegKernel.rows}; fewer than an MCU is high only at the end of the picture.
   * @returns whether {@link JpegKernel.take} must be called and then this again, for the rest of the same rows
   */
  encode(count: number): boolean;
  /** Ends the scan and the file (EOI). */
  finish(): void;
  /** What was coded since the last call, valid until the next call of `encode`. */
  take(): Uint8Array;
  /** Lets another picture have the instance. The kernel must not be used after that. */
  release(): void;
}

/**
 * An instance of its own for one picture.
 * @param rowBytes bytes of the rows of one row of MCUs
 * @param exact the slower transform, which loses nothing where quantisers are very fine or very coarse
 */
export function startKernel(
  kind: JpegKind,
  width: number,
  rowBytes: number,
  quantisers: readonly [Uint8Array, Uint8Array],
  huffmanTables: HuffmanTables,
  exact: boolean,
): JpegKernel {
  const exports = idle.pop() ?? (new WebAssembly.Instance(jpegModule).exports as unknown as Exports);
  const memory = new Uint8Array(exports.memory.buffer);
  quantisers.forEach((steps, index) => {
    memory.set(steps, exports.quantisers.value + index * steps.length);
  });
  huffmanTables.forEach(({ lengths, symbols }, index) => {
    const at = exports.huffman.value + index * HUFFMAN_BYTES;
    memory.set(lengths, at);
    memory.set(symbols, at + lengths.length);
  });
  exports.start(KINDS[kind], width, exact ? 1 : 0);
  // Taken after start, which may have grown the memory and so detached its buffer.
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

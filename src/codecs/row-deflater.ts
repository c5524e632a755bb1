// A zlib stream (RFC 1950) over rows of pixels, a batch of rows at a time: it gives each batch to the matcher that suits it.
// It knows no picture format; rows arrive filtered.

import { constants, deflateRawSync } from "node:zlib";
import { Adler32 } from "./adler.ts";
import { BlockWriter } from "./deflate-block.ts";
import { PixelMatcher, WINDOW_BYTES } from "./pixel-matcher.ts";

/** Rows are gathered up to this before they are compressed: what node:zlib costs for each call must not show. */
const BATCH_BYTES = 192 * 1024;
/** Where more than this share of the pixels differs from its left neighbour, it is worth asking for more. */
const BUSY_SHARE = 0.5;
/** Where more than this share of the pixels is new among those looked at, they will hardly be repeated. */
const FRESH_SHARE = 0.3;
const SEEN_BITS = 14;
const MAX_MATCH_BYTES = 258;

/** A row of zeros after its leading bytes, of samples as they are, or of differences between them. */
export const BLANK = 0;
export const SAMPLES = 1;
export const DIFFERENCES = 2;
export type RowKind = typeof BLANK | typeof SAMPLES | typeof DIFFERENCES;

export class RowDeflater {
  readonly rowBytes: number;
  readonly pixelBytes: number;
  /** Rows that {@link rows} has room for before {@link deflate} must be called. */
  readonly batchRows: number;
  /** The caller writes the next row to `rows[position .. position + rowBytes)`. */
  readonly rows: Uint8Array;
  position = 0;
  readonly #leadBytes: number;
  readonly #writer: BlockWriter;
  readonly #start: number;
  readonly #matcher: PixelMatcher;
  readonly #adler: Adler32;
  /** Where the rows begin that are not compressed yet. */
  #from = 0;
  /** Of the rows after `#from`. */
  readonly #kinds: Uint8Array;
  #count = 0;
  readonly #seen = new Uint8Array(1 << SEEN_BITS);

  /**
   * @param rowBytes - a row with its leading bytes
   * @param leadBytes - bytes before the first pixel of a row: 0, or 1 for PNG's filter type
   * @param pixelBytes - 1, 3 or 4
   * @param batchRows - rows compressed together @default as many as are about 192 KiB
   * @param start - bytes kept free before the output, for the caller's use @default 0
   */
  constructor(shape: {
    rowBytes: number;
    leadBytes: number;
    pixelBytes: number;
    batchRows?: number;
    start?: number;
  }) {
    this.rowBytes = shape.rowBytes;
    this.pixelBytes = shape.pixelBytes;
    this.batchRows = shape.batchRows ?? Math.max(1, Math.floor(BATCH_BYTES / shape.rowBytes));
    this.rows = new Uint8Array(WINDOW_BYTES + this.batchRows * shape.rowBytes);
    this.#leadBytes = shape.leadBytes;
    this.#start = shape.start ?? 0;
    this.#writer = new BlockWriter(this.#start);
    this.#matcher = new PixelMatcher(this.rows, shape.rowBytes, shape.leadBytes, shape.pixelBytes);
    this.#adler = new Adler32(this.rows);
    this.#kinds = new Uint8Array(this.batchRows);
  }

  /** Rows that wait for {@link deflate}. */
  get waiting(): number {
    return this.#count;
  }

  /** Begins a stream that shares nothing with the one before. */
  begin(): void {
    this.#matcher.reset();
    this.#adler.reset();
    this.position = 0;
    this.#from = 0;
    // Deflate with a window of 32 KiB, fastest-class level; the two bytes are a multiple of 31 (RFC 1950 section 2.2).
    this.#writer.append(Uint8Array.of(0x78, 0x01));
  }

  /** The row at {@link position} is complete. */
  rowDone(kind: RowKind): void {
    this.#kinds[this.#count++] = kind;
    this.position += this.rowBytes;
  }

  /** Compresses the rows that wait and keeps what later ones may repeat. */
  deflate(): void {
    if (this.#count === 0) return;
    if (this.#isPhotographic()) this.#deflateNatively();
    else this.#deflateByPixels();
    this.#count = 0;
    const spare = this.position - WINDOW_BYTES;
    if (spare > 0) {
      this.rows.copyWithin(0, spare, this.position);
      this.#matcher.slide(spare);
      this.position = WINDOW_BYTES;
    }
    this.#from = this.position;
  }

  /** Compresses what waits and ends the stream. */
  finish(): void {
    this.deflate();
    this.#writer.finish();
    const checksum = this.#adler.value;
    this.#writer.append(Uint8Array.of(checksum >>> 24, checksum >>> 16, checksum >>> 8, checksum));
  }

  /** Bytes of output since the last {@link take}. */
  get size(): number {
    return this.#writer.end - this.#start;
  }

  /**
   * The output since the last call, with the bytes kept free before it and `room` bytes after it.
   * Valid until the next row is compressed.
   */
  take(room = 0): Uint8Array {
    this.#writer.reserve(room);
    const taken = this.#writer.bytes.subarray(0, this.#writer.end + room);
    this.#writer.end = this.#start;
    return taken;
  }

  /**
   * Whether the waiting rows are continuous in tone: repetitions are short or rare there, and native zlib is quicker.
   * Differences that are not flat come from such a picture; samples have to be told from the noise of letters.
   */
  #isPhotographic(): boolean {
    const rows = this.rows;
    const pixel = this.pixelBytes;
    const seen = this.#seen.fill(0);
    let pixels = 0;
    let different = 0;
    let fresh = 0;
    // Every eighth row and every other pixel is enough to tell.
    for (let row = (this.#count >> 1) & 7; row < this.#count; row += 8) {
      if (this.#kinds[row] === BLANK) {
        pixels += this.rowBytes / (2 * pixel);
        continue;
      }
      const start = this.#from + row * this.rowBytes + this.#leadBytes;
      const end = start + this.rowBytes - this.#leadBytes - 2;
      const areSamples = this.#kinds[row] === SAMPLES;
      let before = 0;
      for (let at = start; at < end; at += 2 * pixel) {
        pixels++;
        const key = rows[at] | (rows[at + 1] << 8) | (rows[at + 2] << 16);
        if (key === before) continue;
        before = key;
        different++;
        const hash = Math.imul(key, 0x9e3779b1) >>> (32 - SEEN_BITS);
        if (areSamples) fresh += 1 - seen[hash];
        else fresh++;
        seen[hash] = 1;
      }
    }
    return different > BUSY_SHARE * pixels && fresh > FRESH_SHARE * pixels;
  }

  #deflateNatively(): void {
    this.#adler.add(this.#from, this.position);
    this.#writer.align();
    this.#writer.append(
      deflateRawSync(this.rows.subarray(this.#from, this.position), {
        level: 4,
        memLevel: 9,
        finishFlush: constants.Z_SYNC_FLUSH,
        chunkSize: BATCH_BYTES,
        // All of it is in reach of the first match: a stream of several calls reads like one.
        ...(this.#from > 0 && { dictionary: this.rows.subarray(Math.max(0, this.#from - WINDOW_BYTES), this.#from) }),
      }),
    );
  }

  #deflateByPixels(): void {
    for (let row = 0; row < this.#count; row++) {
      const start = this.#from + row * this.rowBytes;
      if (this.#kinds[row] === BLANK) {
        this.#adler.add(start, start + this.#leadBytes);
        this.#adler.addZeros(this.rowBytes - this.#leadBytes);
        this.#blankRow(start);
      } else {
        this.#adler.add(start, start + this.rowBytes);
        this.#matcher.row(start, this.#writer);
      }
    }
  }

  /** What the matcher would find, without looking. */
  #blankRow(start: number): void {
    const pixel = this.pixelBytes;
    for (let lead = 0; lead < this.#leadBytes; lead++) this.#writer.literal(this.rows[start + lead]);
    let left = this.rowBytes - this.#leadBytes - pixel;
    for (let sample = 0; sample < pixel; sample++) this.#writer.literal(0);
    const longest = MAX_MATCH_BYTES - (MAX_MATCH_BYTES % pixel);
    for (; left >= longest; left -= longest) this.#writer.match(longest, pixel);
    if (left >= 3) this.#writer.match(left, pixel);
    else for (; left > 0; left--) this.#writer.literal(0);
  }
}

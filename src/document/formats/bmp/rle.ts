// Decodes the run-length coding of Windows and OS/2 bitmaps into rows, in file order. Skipped pixels have color 0.
import { filling } from "../to-pdf/image-data.ts";

/** The expected kind of the next byte. */
type Expected = "count" | "value" | "escape" | "across" | "down" | "literal" | "padding";

export class RleRows {
  /** True after all rows were returned. */
  isOver = false;
  readonly #row: Uint8Array;
  readonly #width: number;
  readonly #height: number;
  readonly #nibbles: boolean;
  readonly #pixelBytes: 1 | 3;
  /** Column of the next pixel. `#y`: its row. */
  #x = 0;
  #y = 0;
  #expected: Expected = "count";
  #count = 0;
  /** The bytes of the current three-byte pixel that have arrived. */
  readonly #pixel = new Uint8Array(3);
  #filled = 0;
  #literalBytes = 0;
  #isPadded = false;

  constructor(width: number, height: number, coding: "rle4" | "rle8" | "rle24") {
    this.#nibbles = coding === "rle4";
    this.#pixelBytes = coding === "rle24" ? 3 : 1;
    this.#width = width;
    this.#height = height;
    this.#row = new Uint8Array(width * this.#pixelBytes);
  }

  /** Yields the rows completed by these bytes. A row is valid until the next one is requested. */
  *push(bytes: Uint8Array): Generator<Uint8Array> {
    for (const byte of bytes) {
      if (this.isOver) return;
      switch (this.#expected) {
        case "count":
          this.#count = byte;
          this.#expected = byte === 0 ? "escape" : "value";
          break;
        case "value":
          this.#addRun(byte);
          break;
        case "escape":
          if (byte === 0) yield* this.#endRows(1);
          else if (byte === 1) yield* this.rest();
          if (byte === 2) this.#expected = "across";
          else if (byte > 2) this.#beginLiteral(byte);
          else this.#expected = "count";
          break;
        case "across":
          this.#x += byte;
          this.#expected = "down";
          break;
        case "down": {
          const x = this.#x;
          yield* this.#endRows(byte);
          this.#x = x;
          this.#expected = "count";
          break;
        }
        case "literal":
          this.#addLiteral(byte);
          break;
        case "padding":
          this.#expected = "count";
      }
    }
  }

  /** Yields the remaining rows, which the data do not contain. */
  *rest(): Generator<Uint8Array> {
    if (this.isOver) return;
    if (this.#y < this.#height) yield this.#row;
    yield* filling(this.#row.length, this.#height - this.#y - 1, 0);
    this.isOver = true;
  }

  *#endRows(count: number): Generator<Uint8Array> {
    for (let ended = 0; ended < count && !this.isOver; ended++) {
      yield this.#row;
      this.#row.fill(0);
      this.#x = 0;
      this.#y++;
      this.isOver = this.#y === this.#height;
    }
  }

  #addRun(byte: number): void {
    if (this.#pixelBytes === 3) {
      this.#pixel[this.#filled++] = byte;
      if (this.#filled < 3) return;
      this.#filled = 0;
      for (; this.#count > 0; this.#count--) this.#putPixel();
    } else {
      for (let index = 0; index < this.#count; index++) this.#put(this.#nibbles ? nibble(byte, index) : byte);
    }
    this.#expected = "count";
  }

  /** Starts absolute mode with a number of pixels. A padding byte follows an odd number of bytes. */
  #beginLiteral(pixels: number): void {
    this.#count = pixels;
    this.#literalBytes = this.#nibbles ? Math.ceil(pixels / 2) : pixels * this.#pixelBytes;
    this.#isPadded = this.#literalBytes % 2 === 1;
    this.#expected = "literal";
  }

  #addLiteral(byte: number): void {
    if (this.#pixelBytes === 3) {
      this.#pixel[this.#filled++] = byte;
      if (this.#filled === 3) {
        this.#filled = 0;
        this.#putPixel();
      }
    } else if (this.#nibbles) {
      for (let index = 0; index < 2 && this.#count > 0; index++, this.#count--) this.#put(nibble(byte, index));
    } else {
      this.#put(byte);
    }
    if (--this.#literalBytes === 0) this.#expected = this.#isPadded ? "padding" : "count";
  }

  #put(sample: number): void {
    if (this.#x < this.#width) this.#row[this.#x] = sample;
    this.#x++;
  }

  /** Writes a pixel, stored with blue first. */
  #putPixel(): void {
    if (this.#x < this.#width) {
      this.#row.set([this.#pixel[2]!, this.#pixel[1]!, this.#pixel[0]!], this.#x * 3);
    }
    this.#x++;
  }
}

const nibble = (byte: number, index: number) => (index % 2 === 0 ? byte >> 4 : byte & 15);

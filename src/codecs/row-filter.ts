// Differences between neighbouring samples, which compress better than the samples: PNG's filters (PNG 3rd ed. clause 9)
// and TIFF's horizontal predictor (TIFF 6.0 section 14), four bytes at a time. It knows no file.

/** Filter types of PNG 3rd ed. table 7; Average is never worth its time here. */
export const NONE = 0;
export const SUB = 1;
export const UP = 2;
export const PAETH = 4;
export type Filter = typeof NONE | typeof SUB | typeof UP | typeof PAETH;

const HIGH_BITS = 0x80808080 | 0;
const LOW_BITS = 0x7f7f7f7f;

/** A row of samples that can be read by words; bytes after its length are of no meaning. */
export interface Row {
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
}

/** A row of zeros. */
export function makeRow(length: number): Row {
  const words = new Int32Array((length + 3) >> 2);
  return { bytes: new Uint8Array(words.buffer, 0, length), words };
}

export function isSameRow(one: Row, other: Row): boolean {
  const a = one.words;
  const b = other.words;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Byte by byte, modulo 256: the high bits are kept apart so that no byte borrows from the next. */
function difference(x: number, y: number): number {
  return (((x | HIGH_BITS) - (y & LOW_BITS)) | 0) ^ ((x ^ ~y) & HIGH_BITS);
}

/** Sub, and TIFF's predictor 2: each sample less that of the pixel to the left. */
export function subtractLeft(row: Row, pixelBytes: number, out: Row): void {
  const from = row.words;
  const to = out.words;
  const bits = 8 * pixelBytes;
  let before = 0;
  if (pixelBytes === 4) {
    for (let i = 0; i < from.length; i++) {
      const word = from[i];
      to[i] = difference(word, before);
      before = word;
    }
    return;
  }
  for (let i = 0; i < from.length; i++) {
    const word = from[i];
    // Words are little-endian: the pixel to the left ends in the word before.
    to[i] = difference(word, (word << bits) | (before >>> (32 - bits)));
    before = word;
  }
}

/** Up: each sample less that of the pixel above. */
export function subtractAbove(row: Row, above: Row, out: Row): void {
  const from = row.words;
  const other = above.words;
  const to = out.words;
  for (let i = 0; i < from.length; i++) to[i] = difference(from[i], other[i]);
}

/** Paeth: each sample less whichever of left, above and upper left is nearest to left + above - upper left. */
export function subtractPaeth(row: Row, above: Row, pixelBytes: number, out: Row): void {
  const from = row.bytes;
  const up = above.bytes;
  const to = out.bytes;
  const length = from.length;
  // Without a left neighbour the nearest is the one above (PNG 3rd ed. clause 9.4).
  for (let i = 0; i < pixelBytes; i++) to[i] = from[i] - up[i];
  for (let sample = 0; sample < pixelBytes; sample++) {
    let left = from[sample];
    let corner = up[sample];
    for (let i = sample + pixelBytes; i < length; i += pixelBytes) {
      const top = up[i];
      const value = from[i];
      to[i] = value - nearest(left, top, corner);
      left = value;
      corner = top;
    }
  }
}

/** PNG 3rd ed. clause 9.4: ties go to the left, then to the one above. */
function nearest(left: number, top: number, corner: number): number {
  const byLeft = Math.abs(top - corner);
  const byTop = Math.abs(left - corner);
  const byCorner = Math.abs(left + top - 2 * corner);
  return byLeft <= byTop && byLeft <= byCorner ? left : byTop <= byCorner ? top : corner;
}

/** Pixels looked at for each choice, at most. */
const SAMPLED_PIXELS = 1536;
/** Rows looked at for each choice, at most. */
const SAMPLED_ROWS = 6;
/** Fewer pixels than this say nothing. */
const TELLING_PIXELS = 16;
/** A filter must promise to be this much better than none: it costs time, and a change of filter hides what came before. */
const WORTH = 0.86;
const HASH_BITS = 13;
/** What a match costs beyond telling which of the earlier pixels is meant. */
const MATCH_BITS = 4;

/** Estimates how well pixels compress: as repetitions of earlier ones where there are any, as bytes otherwise. */
class Estimate {
  readonly #pixelBytes: number;
  readonly #byteCounts = new Uint32Array(256);
  readonly #pixelCounts = new Uint16Array(1 << HASH_BITS);
  readonly #hashes = new Uint16Array(SAMPLED_PIXELS);
  #pixels = 0;
  #key = 0;

  constructor(pixelBytes: number) {
    this.#pixelBytes = pixelBytes;
  }

  addSample(value: number): void {
    this.#byteCounts[value & 255]++;
    this.#key = (this.#key << 8) | (value & 255);
  }

  /** The samples since the last call were one pixel. */
  endPixel(): void {
    const hash = Math.imul(this.#key, 0x9e3779b1) >>> (32 - HASH_BITS);
    this.#key = 0;
    this.#pixelCounts[hash]++;
    this.#hashes[this.#pixels++] = hash;
  }

  /** Bits for all of them. */
  bits(): number {
    const samples = this.#pixels * this.#pixelBytes;
    let entropy = 0;
    for (const count of this.#byteCounts) if (count > 0) entropy += count * Math.log2(samples / count);
    const literalBits = entropy / this.#pixels;
    let bits = 0;
    for (let i = 0; i < this.#pixels; i++) {
      const count = this.#pixelCounts[this.#hashes[i]];
      bits += count > 1 ? Math.min(literalBits, Math.log2(this.#pixels / count) + MATCH_BITS) : literalBits;
    }
    return bits;
  }
}

/**
 * The filter under which rows compress best, told from pixels that are not their neighbour's copies: flat paper says nothing.
 * @param samples - rows, tightly packed
 * @param first - index of the first row that is meant
 * @param rows - how many
 * @returns undefined if all of it is flat
 */
export function chooseFilter(
  samples: Uint8Array,
  first: number,
  rows: number,
  rowBytes: number,
  pixelBytes: number,
): Filter | undefined {
  const plain = new Estimate(pixelBytes);
  const sub = new Estimate(pixelBytes);
  const up = new Estimate(pixelBytes);
  const paeth = new Estimate(pixelBytes);
  let counted = 0;
  const step = Math.max(1, Math.ceil(rows / SAMPLED_ROWS));
  const perRow = SAMPLED_PIXELS / SAMPLED_ROWS;
  for (let row = Math.max(1, first + (step >> 1)); row < first + rows; row += step) {
    const end = (row + 1) * rowBytes;
    const enough = counted + perRow;
    for (let at = row * rowBytes + pixelBytes; at < end && counted < enough; at += pixelBytes) {
      if (isCopy(samples, at, at - pixelBytes, pixelBytes) || isCopy(samples, at, at - rowBytes, pixelBytes)) continue;
      counted++;
      for (let i = at; i < at + pixelBytes; i++) {
        const value = samples[i];
        const left = samples[i - pixelBytes];
        const top = samples[i - rowBytes];
        plain.addSample(value);
        sub.addSample(value - left);
        up.addSample(value - top);
        paeth.addSample(value - nearest(left, top, samples[i - rowBytes - pixelBytes]));
      }
      plain.endPixel();
      sub.endPixel();
      up.endPixel();
      paeth.endPixel();
    }
  }
  if (counted < TELLING_PIXELS) return undefined;
  const [plainBits, subBits, upBits, paethBits] = [plain, sub, up, paeth].map((estimate) => estimate.bits());
  const best = Math.min(subBits, upBits, paethBits);
  if (best > WORTH * plainBits) return NONE;
  return best === subBits ? SUB : best === upBits ? UP : PAETH;
}

function isCopy(samples: Uint8Array, at: number, other: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (samples[at + i] !== samples[other + i]) return false;
  return true;
}

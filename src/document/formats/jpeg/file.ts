// Reads the marker segments of a JPEG (ITU-T T.81 annex B) before and between its scans. Supports the JPEGs of PDF's
// DCTDecode: Huffman coding, 8 bits per sample, one to four components.

import { adobeTransform, isFrame, isJfif, MARKERS, type MarkerSegment, readSegment } from "./markers.ts";

/** Thrown for a JPEG that cannot be decoded without guessing. */
export class UnreadableJpeg extends Error {
  override readonly name = "UnreadableJpeg";
}

export interface JpegComponent {
  readonly id: number;
  /** Sampling factors, 1 to 4. */
  readonly across: number;
  readonly down: number;
  /** Number of the quantization table, 0 to 3. */
  readonly quantizer: number;
}

export interface JpegFrame {
  readonly width: number;
  readonly height: number;
  readonly progressive: boolean;
  readonly components: readonly JpegComponent[];
}

export interface JpegScan {
  /** Indexes of the scan's components, with their Huffman tables. */
  readonly components: readonly { readonly index: number; readonly dc: number; readonly ac: number }[];
  /** Spectral selection and successive approximation (T.81 G.1.1.1). */
  readonly first: number;
  readonly last: number;
  readonly high: number;
  readonly low: number;
  /** Offset of the entropy-coded data. */
  readonly start: number;
}

interface Definition {
  /** BITS and HUFFVAL as in DHT, 272 bytes. */
  readonly bytes: Uint8Array;
}

const { SOF0, SOF1, SOF2, DHT, DAC, SOI, EOI, SOS, DQT, DNL, DRI } = MARKERS;

/** Reads the segments of a file in order. */
export class JpegFile {
  readonly bytes: Uint8Array;
  /** 64 steps each, in zigzag order. */
  readonly quantizers: (Uint16Array | undefined)[] = [];
  /** DC tables 0 to 3, AC tables 4 to 7. */
  readonly huffman: (Definition | undefined)[] = [];
  frame: JpegFrame | undefined;
  /** MCUs between restart markers; 0 for none. */
  restartInterval = 0;
  /** Color transform in Adobe's APP14: 0 for none, 1 for YCbCr, 2 for YCCK. */
  adobeTransform: number | undefined;
  hasJfif = false;
  /** True after EOI. */
  ended = false;
  #at = 2;

  /** @throws UnreadableJpeg */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    if (bytes[0] !== 0xff || bytes[1] !== SOI) throw new UnreadableJpeg("no SOI");
  }

  /** Continues at an offset after the data of a scan. */
  continueAt(position: number): void {
    this.#at = position;
  }

  /**
   * @returns the next scan, or undefined at the end of the image
   * @throws UnreadableJpeg
   */
  nextScan(): JpegScan | undefined {
    for (;;) {
      const segment = readSegment(this.bytes, this.#at);
      if (!segment) return undefined;
      const { marker, data } = segment;
      if (marker === EOI) {
        this.ended = true;
        return undefined;
      }
      if (!data) throw new UnreadableJpeg("a segment that is not whole");
      this.#at = segment.end;
      if (marker === SOS) return this.#scan(data);
      this.#take(segment, data);
    }
  }

  #take(segment: MarkerSegment, data: Uint8Array): void {
    const { marker } = segment;
    if (marker === DQT) this.#takeQuantizers(data);
    else if (marker === DHT) this.#takeHuffman(data);
    else if (marker === DRI) this.restartInterval = ((data[0] ?? 0) << 8) | (data[1] ?? 0);
    else if (isFrame(marker)) this.#takeFrame(marker, data);
    else if (marker === DNL || marker === DAC) throw new UnreadableJpeg("DNL or arithmetic coding");
    this.hasJfif ||= isJfif(segment);
    this.adobeTransform = adobeTransform(segment) ?? this.adobeTransform;
  }

  #takeQuantizers(segment: Uint8Array): void {
    for (let at = 0; at < segment.length; ) {
      const [precision, index] = [segment[at]! >> 4, segment[at]! & 15];
      const size = precision === 0 ? 64 : 128;
      if (precision > 1 || index > 3 || at + 1 + size > segment.length) throw new UnreadableJpeg("a quantizer");
      const steps = Uint16Array.from({ length: 64 }, (_, k) =>
        precision === 0 ? segment[at + 1 + k]! : (segment[at + 1 + 2 * k]! << 8) | segment[at + 2 + 2 * k]!,
      );
      if (steps.includes(0)) throw new UnreadableJpeg("a quantizer of zero");
      this.quantizers[index] = steps;
      at += 1 + size;
    }
  }

  #takeHuffman(segment: Uint8Array): void {
    for (let at = 0; at < segment.length; ) {
      const [kind, index] = [segment[at]! >> 4, segment[at]! & 15];
      const lengths = segment.subarray(at + 1, at + 17);
      const symbols = lengths.reduce((sum, count) => sum + count, 0);
      if (kind > 1 || index > 3 || lengths.length < 16 || symbols > 256 || at + 17 + symbols > segment.length) {
        throw new UnreadableJpeg("a Huffman table");
      }
      let room = 1;
      for (const count of lengths) {
        room = room * 2 - count;
        if (room < 0) throw new UnreadableJpeg("more codes than there are");
      }
      const bytes = new Uint8Array(272);
      bytes.set(segment.subarray(at + 1, at + 17 + symbols));
      this.huffman[kind * 4 + index] = { bytes };
      at += 17 + symbols;
    }
  }

  #takeFrame(marker: number, segment: Uint8Array): void {
    if (this.frame) throw new UnreadableJpeg("two frames");
    if (marker !== SOF0 && marker !== SOF1 && marker !== SOF2)
      throw new UnreadableJpeg(`a frame of kind ${marker & 15}`);
    const [precision, , , , , count] = segment;
    const height = ((segment[1] ?? 0) << 8) | (segment[2] ?? 0);
    const width = ((segment[3] ?? 0) << 8) | (segment[4] ?? 0);
    if (precision !== 8 || !count || count > 4 || segment.length < 6 + 3 * count || width === 0 || height === 0) {
      throw new UnreadableJpeg("a frame of another shape");
    }
    const components = Array.from({ length: count }, (_, index) => {
      const [id, sampling, quantizer] = segment.subarray(6 + 3 * index, 9 + 3 * index) as unknown as number[];
      return { id: id!, across: sampling! >> 4, down: sampling! & 15, quantizer: quantizer! };
    });
    for (const { across, down, quantizer } of components) {
      if (across < 1 || across > 4 || down < 1 || down > 4 || quantizer > 3) throw new UnreadableJpeg("a component");
    }
    const blocks = components.reduce((sum, { across, down }) => sum + across * down, 0);
    // An MCU has at most ten blocks (T.81 B.2.3); single components are not interleaved.
    if (count > 1 && blocks > 10) throw new UnreadableJpeg("more than ten blocks in an MCU");
    this.frame = { width, height, progressive: marker === SOF2, components };
  }

  #scan(segment: Uint8Array): JpegScan {
    const { frame } = this;
    const count = segment[0] ?? 0;
    if (!frame || count < 1 || count > 4 || segment.length < 4 + 2 * count) throw new UnreadableJpeg("a scan header");
    const components = Array.from({ length: count }, (_, at) => {
      const [id, tables] = segment.subarray(1 + 2 * at, 3 + 2 * at) as unknown as number[];
      const index = frame.components.findIndex((component) => component.id === id);
      if (index < 0 || (tables! & 0xcc) !== 0) throw new UnreadableJpeg("a scan of unknown components or tables");
      return { index, dc: tables! >> 4, ac: tables! & 15 };
    });
    if (new Set(components.map(({ index }) => index)).size !== count) throw new UnreadableJpeg("a component twice");
    const [first, last, approximation] = segment.subarray(1 + 2 * count) as unknown as number[];
    const [high, low] = [approximation! >> 4, approximation! & 15];
    const scan = { components, first: first!, last: last!, high, low, start: this.#at };
    return frame.progressive ? checkProgressive(scan) : { ...scan, first: 0, last: 63, high: 0, low: 0 };
  }
}

/** Checks the parameters of a progressive scan (T.81 G.1.1.1). */
function checkProgressive(scan: JpegScan): JpegScan {
  const { first, last, high, low, components } = scan;
  const isBand = first === 0 ? last === 0 : first <= last && last <= 63 && components.length === 1;
  if (!isBand || low > 13 || (high !== 0 && high !== low + 1)) throw new UnreadableJpeg("a progressive scan");
  return scan;
}

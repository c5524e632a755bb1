// Reads BMP as a PDF image. Rows stay in file order, which is mostly bottom-up; the page content flips the image.

import { ByteReader } from "../../contract/byte-reader.ts";
import { EngineFailure } from "../../contract/failure.ts";
import type { Input } from "../../contract/operation.ts";
import type { OpenJpegDecoder } from "../jpeg/frame.ts";
import { readJpeg } from "../jpeg/read.ts";
import { readPng } from "../png/read.ts";
import { bytesOfRow, checkWork, filling, flateImage, softMask } from "../to-pdf/image-data.ts";
import type { ImagePage, ImageXObject } from "../to-pdf/image-page.ts";
import { pageSize } from "../to-pdf/page-size.ts";
import { type BmpHeader, readBmpHeader } from "./header.ts";
import { RleRows } from "./rle.ts";

const BLOCK_BYTES = 65_536;

/**
 * @throws EngineFailure `damaged` if there are no pixels; for embedded files the failures of {@link readJpeg} and
 * {@link readPng}
 */
export async function readBmp(input: Input, holdBytes: number, openDecoder: OpenJpegDecoder): Promise<ImagePage> {
  const header = await readBmpHeader(input);
  const { width, height, coding, density, dataOffset, isTopDown } = header;
  if (input.size <= dataOffset) throw new EngineFailure("damaged", "a BMP without pixels");
  if (coding === "jpeg" || coding === "png") {
    const inner = partOf(input, dataOffset);
    const picture = await (coding === "jpeg" ? readJpeg(inner, openDecoder) : readPng(inner, holdBytes));
    return { ...(density ? { density } : {}), ...picture };
  }
  checkWork(bytesOfRow(width, Math.max(8, header.bits)), height, holdBytes);
  const seen = { width, height, orientation: 1, ...(density ? { density } : {}) } as const;
  pageSize(seen);
  const image = coding === "plain" ? await plainImage(input, header) : rleImage(input, header);
  return { ...seen, parts: [{ x: 0, y: 0, image, isBottomUp: !isTopDown }] };
}

/** Returns an input with the bytes from an offset on, for an embedded file. */
function partOf(input: Input, offset: number): Input {
  async function* stream() {
    await using reader = new ByteReader(input.stream());
    if (await reader.skip(offset)) yield* reader.pieces(input.size - offset);
  }
  return {
    name: input.name,
    size: input.size - offset,
    stream,
    bytes: async () => (await input.bytes()).subarray(offset),
  };
}

async function plainImage(input: Input, header: BmpHeader): Promise<ImageXObject> {
  const { width, height, bits, colorSpace, palette, masks } = header;
  if (bits <= 8) {
    return flateImage({
      width,
      height,
      bitsPerComponent: bits as 1 | 2 | 4 | 8,
      colorSpace: { kind: "indexed", base: colorSpace, palette },
      components: 1,
      rows: () => storedRows(input, header, bytesOfRow(width, bits), 0, (stored, to) => to.set(stored)),
    });
  }
  const colors = bits === 24 ? [] : [masks.red, masks.green, masks.blue].map(channelOf);
  const isDeep = colors.some(({ most }) => most > 255);
  const channels = colors.map((channel) => scaleChannel(channel, isDeep));
  const rowBytes = width * (isDeep ? 6 : 3);
  const take: TakeRow = bits === 24 ? swapped : bitFields(bits, channels, isDeep);
  const alpha = bitFields(bits, [scaleChannel(channelOf(masks.alpha), false)], false);
  const opacity = () => storedRows(input, header, width, 0, alpha);
  const mask = bits !== 24 && masks.alpha !== 0 ? await softMask(width, height, 8, opacity, true) : {};
  return flateImage({
    width,
    height,
    bitsPerComponent: isDeep ? 16 : 8,
    colorSpace,
    components: 3,
    ...mask,
    rows: () => storedRows(input, header, rowBytes, 255, take),
  });
}

/** Converts a row of the file to a row of the PDF image. */
type TakeRow = (stored: Uint8Array, to: Uint8Array) => void;

/** @param fill value of missing pixels */
async function* storedRows(
  input: Input,
  { width, height, bits, dataOffset }: BmpHeader,
  rowBytes: number,
  fill: number,
  take: TakeRow,
): AsyncGenerator<Uint8Array> {
  const stride = Math.ceil((width * bits) / 32) * 4;
  const whole = bytesOfRow(width, bits);
  const blockRows = Math.min(height, Math.max(1, Math.floor(BLOCK_BYTES / stride)));
  const block = new Uint8Array(blockRows * rowBytes);
  await using reader = new ByteReader(input.stream());
  await reader.skip(dataOffset);
  let done = 0;
  while (done < height) {
    const wanted = Math.min(blockRows, height - done);
    const left = input.size - reader.position;
    const count = Math.min(wanted, Math.floor((left + stride - whole) / stride));
    const bytes = count > 0 ? await reader.read(Math.min(left, count * stride)) : undefined;
    if (!bytes) break;
    for (let row = 0; row < count; row++) {
      const stored = bytes.subarray(row * stride, row * stride + whole);
      const to = block.subarray(row * rowBytes, (row + 1) * rowBytes);
      take(stored, to);
    }
    yield block.subarray(0, count * rowBytes);
    done += count;
  }
  yield* filling(rowBytes, height - done, fill);
}

const swapped: TakeRow = (stored, to) => {
  for (let at = 0; at < stored.length; at += 3) {
    to[at] = stored[at + 2]!;
    to[at + 1] = stored[at + 1]!;
    to[at + 2] = stored[at]!;
  }
};

interface Channel {
  readonly mask: number;
  readonly shift: number;
  /** The largest possible value. */
  readonly most: number;
}

function channelOf(mask: number): Channel {
  const shift = mask === 0 ? 0 : 31 - Math.clz32(mask & -mask);
  return { mask, shift, most: mask >>> shift };
}

/** @returns the channel with its values scaled to 8 or 16 bits */
function scaleChannel(
  channel: Channel,
  isDeep: boolean,
): Channel & { readonly table: Uint16Array | undefined; readonly scale: number } {
  const { most } = channel;
  const scale = most === 0 ? 0 : (isDeep ? 65_535 : 255) / most;
  const table =
    most < 65_536 ? Uint16Array.from({ length: most + 1 }, (_, value) => Math.round(value * scale)) : undefined;
  return { ...channel, table, scale };
}

function bitFields(bits: number, channels: readonly ReturnType<typeof scaleChannel>[], isDeep: boolean): TakeRow {
  const pixelBytes = bits / 8;
  return (stored, to) => {
    let at = 0;
    for (let from = 0; from < stored.length; from += pixelBytes) {
      let pixel = stored[from]! | (stored[from + 1]! << 8);
      if (pixelBytes === 4) pixel |= (stored[from + 2]! << 16) | (stored[from + 3]! << 24);
      for (let index = 0; index < channels.length; index++) {
        const { mask, shift, table, scale } = channels[index]!;
        const value = (pixel & mask) >>> shift;
        const sample = table ? table[value]! : Math.round(value * scale);
        if (isDeep) to[at++] = sample >> 8;
        to[at++] = sample;
      }
    }
  };
}

function rleImage(input: Input, header: BmpHeader): ImageXObject {
  const { width, height, coding, bits, colorSpace, palette } = header;
  const pixelBytes = coding === "rle24" ? 3 : 1;
  if (bits !== { rle4: 4, rle8: 8, rle24: 24 }[coding as "rle4"]) {
    throw new EngineFailure("damaged", `a BMP of ${bits} bits in ${coding}`);
  }
  return flateImage({
    width,
    height,
    bitsPerComponent: 8,
    colorSpace: pixelBytes === 3 ? colorSpace : { kind: "indexed", base: colorSpace, palette },
    components: pixelBytes,
    async *rows() {
      await using reader = new ByteReader(input.stream());
      await reader.skip(header.dataOffset);
      const rows = new RleRows(width, height, coding as "rle4");
      for await (const piece of reader.pieces(input.size)) {
        yield* rows.push(piece);
        if (rows.isOver) return;
      }
      yield* rows.rest();
    },
  });
}

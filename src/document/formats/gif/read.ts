// Reads the first image of a GIF (GIF89a) as a PDF image, at its position on the logical screen.

import { EngineFailure } from "../../contract/failure.ts";
import type { Input } from "../../contract/operation.ts";
import { decodeLzw } from "../lzw/decode.ts";
import { checkWork, filling, flateImage } from "../to-pdf/image-data.ts";
import { type ImagePage, type ImageXObject, RGB } from "../to-pdf/image-page.ts";
import { densityOfAspect } from "../to-pdf/page-size.ts";

const SCREEN_BYTES = 13;
const IMAGE_BYTES = 9;
const [IMAGE, EXTENSION, GRAPHIC_CONTROL] = [0x2c, 0x21, 0xf9];
/** Colors of an image without a table (clause 19). */
const BLACK_AND_WHITE = Uint8Array.of(0, 0, 0, 255, 255, 255);
/** First row and step of each pass of an interlaced image (Appendix E). */
const PASSES = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
] as const;

/** An image descriptor (clause 20), and the properties of the image from the blocks before and after it. */
interface GifImage extends Pick<ImageXObject, "width" | "height"> {
  readonly left: number;
  readonly top: number;
  readonly isInterlaced: boolean;
  readonly palette: Uint8Array;
  readonly transparent: number | undefined;
  readonly symbolBits: number;
  /** The LZW data. */
  readonly data: Uint8Array;
}

/**
 * @param holdBytes maximum memory for an interlaced image
 * @throws EngineFailure `damaged` if there is no image, `too-large` for an interlaced image, `too-complex` if the image
 * exceeds the work limit
 */
export async function readGif(input: Input, holdBytes: number): Promise<ImagePage> {
  const file = await input.bytes();
  const first = firstImage(file);
  const { left, top, width, height, isInterlaced, palette, transparent } = first;
  checkWork(width, height, holdBytes);
  if (isInterlaced && width * height > holdBytes) throw new EngineFailure("too-large", "an interlaced GIF");
  const image = flateImage({
    ...{ width, height, bitsPerComponent: 8, components: 1 },
    colorSpace: { kind: "indexed", base: RGB, palette },
    rows: () => (isInterlaced ? sorted(first) : rowsOf(first)),
  });
  const furtherFrames = imagesIn(file) - 1;
  const density = file[12] === 0 ? undefined : densityOfAspect(64, file[12]! + 15);
  return {
    // Viewers enlarge a screen that is too small for its image.
    width: Math.max(wordAt(file, 6), left + width),
    height: Math.max(wordAt(file, 8), top + height),
    orientation: 1,
    ...(density ? { density } : {}),
    ...(furtherFrames > 0 ? { furtherFrames } : {}),
    parts: [
      {
        x: left,
        y: top,
        image: { ...image, ...(transparent === undefined ? {} : { colorKey: [transparent, transparent] }) },
      },
    ],
  };
}

function firstImage(file: Uint8Array): GifImage {
  const colors = tableAt(file, SCREEN_BYTES, file[10]!);
  let transparent: number | undefined;
  for (let at = SCREEN_BYTES + colors.length; at < file.length; ) {
    if (file[at] === IMAGE) return imageAt(file, at + 1, colors, transparent);
    if (file[at] !== EXTENSION) break;
    if (file[at + 1] === GRAPHIC_CONTROL && (file[at + 3]! & 1) === 1) transparent = file[at + 6];
    at = blocksAt(file, at + 2).end;
  }
  throw new EngineFailure("damaged", "a GIF without an image");
}

/** Counts the images of a file. */
function imagesIn(file: Uint8Array): number {
  let images = 0;
  let at = SCREEN_BYTES + tableAt(file, SCREEN_BYTES, file[10]!).length;
  while (file[at] === IMAGE || file[at] === EXTENSION) {
    if (file[at] === IMAGE) {
      images++;
      at += 1 + IMAGE_BYTES + tableAt(file, at + 1 + IMAGE_BYTES, file[at + 9] ?? 0).length + 1;
    } else at += 2;
    for (let size = file[at++]; size; size = file[at++]) at += size;
  }
  return images;
}

function imageAt(file: Uint8Array, at: number, colors: Uint8Array, transparent: number | undefined): GifImage {
  const flags = file[at + 8] ?? 0;
  const own = tableAt(file, at + IMAGE_BYTES, flags);
  const start = at + IMAGE_BYTES + own.length;
  const [left = 0, top = 0, width = 0, height = 0] = [0, 2, 4, 6].map((offset) => wordAt(file, at + offset));
  const symbolBits = file[start] ?? 0;
  const { bytes } = blocksAt(file, start + 1);
  if (width * height === 0 || symbolBits < 1 || symbolBits > 8 || bytes.length === 0) {
    throw new EngineFailure("damaged", "a GIF without pixels");
  }
  const palette = [own, colors, BLACK_AND_WHITE].find(({ length }) => length > 0)!;
  return {
    left,
    top,
    width,
    height,
    isInterlaced: (flags & 0x40) !== 0,
    palette,
    transparent,
    symbolBits,
    data: bytes,
  };
}

/** Returns the color table at an offset; empty if the flags declare none. */
const tableAt = (file: Uint8Array, at: number, flags: number): Uint8Array =>
  (flags & 0x80) === 0 ? new Uint8Array(0) : padded(file.subarray(at), 3 * 2 ** ((flags & 7) + 1));

const padded = (bytes: Uint8Array, size: number): Uint8Array => {
  const whole = new Uint8Array(size);
  whole.set(bytes.subarray(0, size));
  return whole;
};

/** Joins sub-blocks (clause 15). In a truncated file, joins the sub-blocks that exist. */
function blocksAt(file: Uint8Array, start: number): { readonly bytes: Uint8Array; readonly end: number } {
  const parts: Uint8Array[] = [];
  let at = start;
  for (let size = file[at++]; size; size = file[at++]) {
    parts.push(file.subarray(at, at + size));
    at += size;
  }
  return { bytes: new Uint8Array(Buffer.concat(parts)), end: at };
}

const wordAt = (file: Uint8Array, at: number): number => (file[at] ?? 0) + (file[at + 1] ?? 0) * 256;

/** Yields the rows in the order of the file. Missing pixels are transparent, or have the first color. */
function* rowsOf({ width, height, data, symbolBits, transparent = 0 }: GifImage): Generator<Uint8Array> {
  const row = new Uint8Array(width);
  let [filled, done] = [0, 0];
  for (const piece of decodeLzw(data, symbolBits)) {
    for (let from = 0; from < piece.length && done < height; ) {
      const part = piece.subarray(from, from + width - filled);
      row.set(part, filled);
      from += part.length;
      filled += part.length;
      if (filled < width) continue;
      yield row;
      filled = 0;
      done++;
    }
    if (done === height) return;
  }
  if (filled > 0) {
    yield row.fill(transparent, filled);
    done++;
  }
  yield* filling(width, height - done, transparent);
}

/** Yields the rows of an interlaced image from top to bottom, as one block. */
function* sorted(image: GifImage): Generator<Uint8Array> {
  const { width, height, transparent = 0 } = image;
  const whole = new Uint8Array(width * height).fill(transparent);
  const places = PASSES.flatMap(([first, step]) =>
    Array.from({ length: Math.max(0, Math.ceil((height - first) / step)) }, (_, index) => first + index * step),
  ).values();
  for (const block of rowsOf(image)) {
    for (let at = 0; at < block.length; at += width) {
      whole.set(block.subarray(at, at + width), places.next().value! * width);
    }
  }
  yield whole;
}

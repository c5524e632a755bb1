// Compresses ICC profiles that consist mostly of color tables (ICC.1, 10.10 to 10.13). PNG predictors help (ISO
// 32000-1, 7.4.4.4), because neighboring entries are similar. The decoded profile stays identical.
import { readTags } from "../formats/icc/header.ts";
import { ImageKernel } from "../formats/image-kernel.ts";
import { encodeFlate } from "../images/flate-image.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream } from "../objects/values.ts";
import { decodedBytes, memoryBody, smaller, withoutFilter } from "./recode-stream.ts";

/** Limits of the profile size. Smaller profiles have no large tables; larger ones would need too much kernel memory. */
const MIN_PREDICTED_BYTES = 16 * 1024;
const MAX_PREDICTED_BYTES = 4 * 2 ** 20;
/** Target length of a predictor row, in bytes. */
const ROW_BYTES = 2048;
const MAX_ROW_BYTES = 1 << 16;
/** Bytes per table sample, by tag type; undefined for a type whose tables state it themselves. */
const SAMPLE_BYTES = new Map<string, number | undefined>([
  ["mft1", 1],
  ["mft2", 2],
  ["mAB ", undefined],
  ["mBA ", undefined],
]);
/** Size of a table header, and so the minimum size of a table. */
const MIN_TABLE_BYTES = 48;
const NOTHING_KNOWN = { flat: 0, colors: undefined, colorCount: 257, isGray: false, indices: 0 };

/** @returns the stream itself if it is not a profile with color tables, or if the result is not smaller */
export function predictProfile(file: PdfFile, stream: PdfStream): PdfStream {
  const { dictionary, body } = stream;
  const raw = body.raw();
  if (!dictionary.has("N") || raw.length < MIN_PREDICTED_BYTES || raw.length > MAX_PREDICTED_BYTES) return stream;
  const bytes = decodedBytes(file, stream);
  if (!bytes || bytes.length < MIN_PREDICTED_BYTES || bytes.length > MAX_PREDICTED_BYTES) return stream;
  const pixelBytes = pixelBytesOf(bytes);
  const rowBytes = pixelBytes && rowBytesOf(bytes.length, pixelBytes);
  if (!rowBytes) return stream;
  using kernel = new ImageKernel();
  const size = { width: rowBytes / pixelBytes, height: bytes.length / rowBytes, channels: pixelBytes };
  const pixels = { at: kernel.put(bytes), stride: rowBytes, ...size };
  const packed = encodeFlate(kernel, pixels, NOTHING_KNOWN, false).bytes;
  const parameters = { Predictor: 15, Colors: pixelBytes, Columns: size.width };
  const predicted = withoutFilter(dictionary)
    .set("Filter", Name.of("FlateDecode"))
    .set("DecodeParms", Dictionary.of(parameters));
  return smaller(stream, new PdfStream(predicted, memoryBody(packed)));
}

/** Returns the bytes per entry of most table data; undefined if there are no tables. */
function pixelBytesOf(profile: Uint8Array): number | undefined {
  const sizes = new Map<number, number>();
  const seen = new Set<number>();
  for (const { data } of readTags(profile) ?? []) {
    if (seen.has(data.byteOffset) || data.length < MIN_TABLE_BYTES) continue;
    seen.add(data.byteOffset);
    const bytes = entryBytesOf(Buffer.from(data.buffer, data.byteOffset, data.length));
    if (bytes) sizes.set(bytes, (sizes.get(bytes) ?? 0) + data.length);
  }
  const [largest] = [...sizes].sort((one, other) => other[1] - one[1]);
  return largest?.[0];
}

/** Returns the bytes per entry: output channels times bytes per sample. */
function entryBytesOf(tag: Buffer): number | undefined {
  const type = tag.toString("latin1", 0, 4);
  if (!SAMPLE_BYTES.has(type)) return undefined;
  const table = tag.readUInt32BE(24);
  // The tag contains the offset of the table. The table starts with 16 grid sizes, then the bytes per sample.
  const bytes = SAMPLE_BYTES.get(type) ?? (table > 0 && table + 17 <= tag.length ? tag[table + 16] : 0);
  const channels = tag[9]!;
  return channels >= 1 && channels <= 15 && (bytes === 1 || bytes === 2) ? channels * bytes : undefined;
}

/**
 * Returns the row length in bytes. All rows must be complete, because readers decode an incomplete last row
 * differently.
 */
function rowBytesOf(length: number, pixelBytes: number): number | undefined {
  if (length % pixelBytes !== 0) return undefined;
  const pixels = length / pixelBytes;
  let best: number | undefined;
  const distance = (bytes: number) => Math.abs(Math.log(bytes / ROW_BYTES));
  const consider = (columns: number) => {
    const bytes = columns * pixelBytes;
    if (bytes <= MAX_ROW_BYTES && (best === undefined || distance(bytes) < distance(best))) best = bytes;
  };
  for (let divisor = 1; divisor * divisor <= pixels; divisor++) {
    if (pixels % divisor !== 0) continue;
    consider(divisor);
    consider(pixels / divisor);
  }
  return best;
}

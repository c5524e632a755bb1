// Recodes a stream with the smallest lossless coding (ISO 32000-1, 7.4). The decoded bytes stay the same.
import { constants, deflateSync, inflateSync } from "node:zlib";
import { EngineFailure } from "../contract/failure.ts";
import { transcodeJpeg } from "../formats/jpeg/transcode.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, type StreamBody, type Value } from "../objects/values.ts";
import type { CompressionSettings } from "./settings.ts";

/** Maximum decoded size. Recoding holds the stream in memory twice, so larger streams stay unchanged. */
const MAX_DECODED_BYTES = 64 * 2 ** 20;
/** Maximum size for the highest compression level, which is slow. */
const BEST_LEVEL_BYTES = 4 * 2 ** 20;
/** Approximate size of the dictionary entries of a filter. */
const FILTER_BYTES = 24;
const LOSSLESS_FILTERS = new Set(["FlateDecode", "LZWDecode", "ASCIIHexDecode", "ASCII85Decode", "RunLengthDecode"]);

function deflated(bytes: Uint8Array): Uint8Array {
  const level = bytes.length > BEST_LEVEL_BYTES ? 6 : 9;
  return deflateSync(bytes, { level, memLevel: 9 });
}

/** Returns a stream body that is in memory. Its `decoded` must not be called. */
export function memoryBody(bytes: Uint8Array): StreamBody {
  return {
    raw: () => bytes,
    decoded() {
      throw new EngineFailure("unsupported", "a stream that was made here");
    },
  };
}

/** Returns the names of a stream's filters, in decoding order. */
function filtersOf(file: PdfFile, { dictionary }: PdfStream): readonly string[] {
  const filter = dictionary.get("Filter");
  if (filter === undefined) return [];
  return (file.array(filter) ?? [filter]).map((name) => file.name(name) ?? "");
}

/** Returns the decoded stream; undefined if a filter is lossy or the data exceeds the limit. */
export function decodedBytes(file: PdfFile, stream: PdfStream): Uint8Array | undefined {
  if (!filtersOf(file, stream).every((filter) => LOSSLESS_FILTERS.has(filter))) return undefined;
  if (stream.dictionary.has("F")) return undefined;
  try {
    return stream.body.decoded(MAX_DECODED_BYTES);
  } catch (error) {
    if (error instanceof EngineFailure && error.reason !== "crashed") return undefined;
    throw error;
  }
}

/** @param bytes the decoded data */
export function asFlate(stream: PdfStream, bytes: Uint8Array): PdfStream {
  const packed = deflated(bytes);
  const dictionary = withoutFilter(stream.dictionary);
  if (packed.length + FILTER_BYTES >= bytes.length) return new PdfStream(dictionary, memoryBody(bytes));
  return new PdfStream(dictionary.set("Filter", Name.of("FlateDecode")), memoryBody(packed));
}

export function withoutFilter(dictionary: Dictionary): Dictionary {
  const copy = dictionary.clone();
  for (const key of ["Filter", "DecodeParms", "DL"]) copy.delete(key);
  return copy;
}

/** @returns the stream itself if no coding is smaller */
export function recodeStream(file: PdfFile, stream: PdfStream, settings: CompressionSettings["streams"]): PdfStream {
  const filters = filtersOf(file, stream);
  if (stream.dictionary.has("F") || filters.length === 0) return stream;
  const raw = stream.body.raw();
  if (filters.length === 1 && filters[0] === "FlateDecode") return settings.reflate ? reflated(stream, raw) : stream;
  const isRecoded = filters.includes("LZWDecode") ? settings.lzwToFlate : settings.reflate;
  if (!isRecoded) return stream;
  const bytes = decodedBytes(file, stream);
  return bytes ? smaller(stream, asFlate(stream, bytes)) : stream;
}

/** Deflates the data again at a higher level. The predictor stays. */
function reflated(stream: PdfStream, raw: Uint8Array): PdfStream {
  let bytes: Uint8Array;
  try {
    bytes = inflateSync(raw, { maxOutputLength: MAX_DECODED_BYTES });
  } catch {
    return stream;
  }
  const packed = deflated(bytes);
  return packed.length < raw.length ? new PdfStream(stream.dictionary, memoryBody(packed)) : stream;
}

export const smaller = (one: PdfStream, other: PdfStream): PdfStream =>
  other.body.raw().length < one.body.raw().length ? other : one;

/** Recodes a JPEG: removes lossless filters around it and optimizes its entropy coding. */
export function recodeJpegStream(file: PdfFile, stream: PdfStream, memoryBytes: number): PdfStream {
  const filters = filtersOf(file, stream);
  if (filters.at(-1) !== "DCTDecode" || stream.dictionary.has("F")) return stream;
  const bare = filters.length === 1 ? stream : withoutOuterFlate(stream, filters);
  if (!bare) return stream;
  const bytes = transcodeJpeg(bare.body.raw(), memoryBytes);
  return bytes ? new PdfStream(bare.dictionary, memoryBody(bytes)) : smaller(stream, bare);
}

function withoutOuterFlate(stream: PdfStream, filters: readonly string[]): PdfStream | undefined {
  const parameters: Value | undefined = stream.dictionary.get("DecodeParms");
  if (filters.length !== 2 || filters[0] !== "FlateDecode") return undefined;
  if (parameters !== undefined && (!Array.isArray(parameters) || parameters[0] instanceof Dictionary)) return undefined;
  try {
    const bytes = inflateSync(stream.body.raw(), {
      maxOutputLength: MAX_DECODED_BYTES,
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    const dictionary = withoutFilter(stream.dictionary).set("Filter", Name.of("DCTDecode"));
    const own = Array.isArray(parameters) ? parameters[1] : undefined;
    if (own !== undefined) dictionary.set("DecodeParms", own);
    return new PdfStream(dictionary, memoryBody(bytes));
  } catch {
    return undefined;
  }
}

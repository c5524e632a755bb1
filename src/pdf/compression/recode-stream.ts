// A stream with the same bytes behind its filters, in the coding without loss that is smallest (ISO 32000-1, 7.4). Knows no content.
import { constants, deflateSync, inflateSync } from "node:zlib";
import { EngineFailure } from "../../core/failure.ts";
import { transcodeJpeg } from "../../formats/jpeg/transcode.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, type StreamBody, type Value } from "../objects/values.ts";
import type { CompressionSettings } from "./settings.ts";

/** Larger streams stay as they are: they would have to be held twice. */
const MAX_DECODED_BYTES = 64 * 2 ** 20;
/** Up to this size the highest level is worth its time. */
const BEST_LEVEL_BYTES = 4 * 2 ** 20;
/** What a dictionary says of a filter takes about this. */
const FILTER_BYTES = 24;
const LOSSLESS_FILTERS = new Set(["FlateDecode", "LZWDecode", "ASCIIHexDecode", "ASCII85Decode", "RunLengthDecode"]);

function deflated(bytes: Uint8Array): Uint8Array {
  const level = bytes.length > BEST_LEVEL_BYTES ? 6 : 9;
  return deflateSync(bytes, { level, memLevel: 9 });
}

/** A body that is at hand; `decoded` is not asked of it. */
export function bodyOf(bytes: Uint8Array): StreamBody {
  return {
    raw: () => bytes,
    decoded() {
      throw new EngineFailure("unsupported", "a stream that was made here");
    },
  };
}

/** The names of a stream's filters, in the order in which they are undone. */
function filtersOf(file: PdfFile, { dictionary }: PdfStream): readonly string[] {
  const filter = dictionary.get("Filter");
  if (filter === undefined) return [];
  return (file.array(filter) ?? [filter]).map((name) => file.name(name) ?? "");
}

/** The stream without a filter, where it has some that lose nothing; undefined where it has others or is too long. */
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

/** @param bytes without a filter */
export function asFlate(stream: PdfStream, bytes: Uint8Array): PdfStream {
  const packed = deflated(bytes);
  const dictionary = withoutFilter(stream.dictionary);
  if (packed.length + FILTER_BYTES >= bytes.length) return new PdfStream(dictionary, bodyOf(bytes));
  return new PdfStream(dictionary.set("Filter", Name.of("FlateDecode")), bodyOf(packed));
}

export function withoutFilter(dictionary: Dictionary): Dictionary {
  const copy = dictionary.clone();
  for (const key of ["Filter", "DecodeParms", "DL"]) copy.delete(key);
  return copy;
}

/** @returns the stream itself where nothing is smaller */
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

/** Predictors stay: what they are applied to is not looked at. */
function reflated(stream: PdfStream, raw: Uint8Array): PdfStream {
  let bytes: Uint8Array;
  try {
    bytes = inflateSync(raw, { maxOutputLength: MAX_DECODED_BYTES });
  } catch {
    return stream;
  }
  const packed = deflated(bytes);
  return packed.length < raw.length ? new PdfStream(stream.dictionary, bodyOf(packed)) : stream;
}

export const smaller = (one: PdfStream, other: PdfStream): PdfStream =>
  other.body.raw().length < one.body.raw().length ? other : one;

/** A JPEG under filters that lose nothing: without those, and with better entropy coding. */
export function recodeJpegStream(file: PdfFile, stream: PdfStream, memoryBytes: number): PdfStream {
  const filters = filtersOf(file, stream);
  if (filters.at(-1) !== "DCTDecode" || stream.dictionary.has("F")) return stream;
  const bare = filters.length === 1 ? stream : withoutOuterFlate(stream, filters);
  if (!bare) return stream;
  const bytes = transcodeJpeg(bare.body.raw(), memoryBytes);
  return bytes ? new PdfStream(bare.dictionary, bodyOf(bytes)) : smaller(stream, bare);
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
    return new PdfStream(dictionary, bodyOf(bytes));
  } catch {
    return undefined;
  }
}

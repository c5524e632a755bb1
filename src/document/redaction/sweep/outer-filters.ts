// Undoes the filters around the data of an image, which hide its metadata from every search (ISO 32000-1, 7.4).
import { constants, inflateSync } from "node:zlib";
import { decodeLzw } from "../../formats/lzw/decode.ts";
import { decodePackBits } from "../../formats/tiff/packbits.ts";
import { type Dictionary, PdfStream, plainBody } from "../../objects/values.ts";

const MAX_DECODED_BYTES = 64 * 2 ** 20;
const RADIX_85 = /z|[!-u]{2,5}/g;

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  FlateDecode: (bytes) =>
    inflateSync(bytes, { maxOutputLength: MAX_DECODED_BYTES, finishFlush: constants.Z_SYNC_FLUSH }),
  LZWDecode: (bytes) => joined(decodeLzw(bytes)),
  RunLengthDecode: (bytes) => joined(decodePackBits(bytes)),
  ASCIIHexDecode: (bytes) => Buffer.from(textUntil(bytes, ">").replace(/[^\da-f]/gi, ""), "hex"),
  ASCII85Decode: (bytes) =>
    Buffer.concat(Array.from(textUntil(bytes, "~").matchAll(RADIX_85), ([group]) => of85(group))),
};

/** @returns undefined if the bytes cannot be decoded, so that no viewer shows them either */
export function withoutOuterFilters(bytes: Uint8Array, filters: readonly string[]): Uint8Array | undefined {
  try {
    return filters.reduce((data, filter) => DECODERS[filter]!(data), bytes);
  } catch {
    return undefined;
  }
}

function joined(chunks: Iterable<Uint8Array>): Uint8Array {
  const parts: Buffer[] = [];
  for (const chunk of chunks) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts);
}

/** Returns the text without white space. */
const textUntil = (bytes: Uint8Array, end: string): string =>
  Buffer.from(bytes).toString("latin1").split(end, 1)[0]!.replace(/\s/g, "");

/** Decodes five characters to four bytes, and fewer to one less (7.4.3). */
function of85(group: string): Buffer {
  const full = group === "z" ? "!!!!!" : group.padEnd(5, "u");
  const number = [...full].reduce((sum, character) => sum * 85 + character.charCodeAt(0) - 33, 0);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number % 2 ** 32);
  return bytes.subarray(0, group === "z" ? 4 : group.length - 1);
}

/** Returns a stream without filters. */
export function plainStream(dictionary: Dictionary, bytes: Uint8Array = new Uint8Array(0)): PdfStream {
  const plain = dictionary.clone();
  for (const key of ["Filter", "DecodeParms", "F", "FFilter", "FDecodeParms", "DL"]) plain.delete(key);
  return new PdfStream(plain, plainBody(bytes));
}

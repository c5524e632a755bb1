// Removes external data and forbidden filters from streams (ISO 19005-1, 6.1.7 and 6.1.10; -2, 6.1.7).
import { EngineFailure } from "../../contract/failure.ts";
import { type Dictionary, PdfStream, plainBody, type Value } from "../../objects/values.ts";
import { newStream, type PdfaDocument } from "../pdfa-document.ts";

const ALLOWED = new Set([
  "ASCIIHexDecode",
  "ASCII85Decode",
  "FlateDecode",
  "RunLengthDecode",
  "CCITTFaxDecode",
  "JBIG2Decode",
  "DCTDecode",
  "JPXDecode",
]);
const MAX_DECODED_BYTES = 256 * 2 ** 20;

export function repairStreams(document: PdfaDocument): void {
  const { file } = document;
  for (const { dictionary, reference, isStream } of document.places) {
    if (!isStream || !reference) continue;
    // The data are in another file, which is not available.
    for (const key of ["F", "FFilter", "FDecodeParms"]) dictionary.delete(key);
    const filters = filtersOf(document, dictionary);
    if (filters.every((filter) => ALLOWED.has(filter))) continue;
    const stream = file.stream(reference);
    if (stream) file.put(reference, decode(stream));
  }
}

function filtersOf({ file }: PdfaDocument, dictionary: Dictionary): string[] {
  const filter = dictionary.get("Filter");
  const list = filter === undefined ? [] : (file.array(filter) ?? [filter]);
  return list.map((value: Value) => file.name(value) ?? "");
}

/** Returns the stream unfiltered; the writer deflates it. */
function decode(stream: PdfStream): PdfStream {
  let bytes = new Uint8Array(0);
  try {
    bytes = stream.body.decoded(MAX_DECODED_BYTES).slice();
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.reason !== "damaged") throw error;
    // A stream that cannot be decoded becomes empty.
  }
  // The dictionary stays the same object, because the survey refers to it.
  const { dictionary } = newStream(bytes, stream.dictionary);
  for (const key of [...stream.dictionary.keys()]) if (!dictionary.has(key)) stream.dictionary.delete(key);
  return new PdfStream(stream.dictionary, plainBody(bytes));
}

/** Returns the last filter, which identifies the data format, for example JPEG 2000. */
export function lastFilter(document: PdfaDocument, dictionary: Dictionary): string | undefined {
  return filtersOf(document, dictionary).at(-1);
}

// How many pages have content that cannot be decompressed to its end. Viewers show what comes before the damage, and so does a copy.
// Looks at what is quick to look at: content streams of pages, up to a size.
import { inflateSync } from "node:zlib";
import type { SourcePage } from "./pages.ts";
import type { PdfFile } from "./pdf-file.ts";
import { type Dictionary, Name, type PdfStream } from "./values.ts";

/** What is longer when it is decompressed is not looked at to its end. */
const MAX_DECODED_BYTES = 4 * 2 ** 20;
/** Of all compressed content that is looked at. */
const MAX_BYTES = 16 * 2 ** 20;

/** @param pages each counts once */
export function countDamagedContents(file: PdfFile, pages: Iterable<SourcePage>): number {
  const seen = new Map<number, boolean>();
  let bytesLeft = MAX_BYTES;
  const isDamaged = (stream: PdfStream): boolean => {
    if (!isFlate(stream.dictionary)) return false;
    const bytes = stream.body.raw();
    bytesLeft -= bytes.length;
    return bytes.length > 0 && !inflates(bytes);
  };
  for (const { reference } of pages) {
    if (bytesLeft < 0) break;
    if (seen.has(reference.number)) continue;
    const contents = file.dictionary(reference)?.get("Contents");
    const streams = (file.array(contents) ?? [contents]).map((part) => file.stream(part));
    seen.set(
      reference.number,
      streams.some((stream) => stream && bytesLeft >= 0 && isDamaged(stream)),
    );
  }
  return [...seen.values()].filter(Boolean).length;
}

/** By nothing else, and without a predictor, as nearly all content is. */
function isFlate(dictionary: Dictionary): boolean {
  const filter = dictionary.get("Filter");
  const [name, ...others] = Array.isArray(filter) ? filter : [filter];
  return name instanceof Name && name.text === "FlateDecode" && others.length === 0 && !dictionary.has("DecodeParms");
}

function inflates(bytes: Uint8Array): boolean {
  try {
    inflateSync(bytes, { maxOutputLength: MAX_DECODED_BYTES });
    return true;
  } catch (error) {
    // The limit is a RangeError, in Node and workerd alike; damage is an error of another kind.
    return error instanceof RangeError;
  }
}

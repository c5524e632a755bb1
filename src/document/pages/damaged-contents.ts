// Counts pages whose content cannot be fully decompressed. A copy keeps such content; viewers show the part before the
// damage. For speed, checks only content streams of pages, and only up to a limit.
import { inflateSync } from "node:zlib";
import type { PdfFile } from "../objects/pdf-file.ts";
import { type Dictionary, Name, type PdfStream } from "../objects/values.ts";
import type { SourcePage } from "./pages.ts";

/** Maximum decompressed size of a content stream that is checked to its end. */
const MAX_DECODED_BYTES = 4 * 2 ** 20;
/** Maximum compressed size of all checked content. */
const MAX_BYTES = 16 * 2 ** 20;

/** @param pages repeated pages count once */
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

/** Reports whether the only filter is Flate without predictor, as in nearly all content. */
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
    // In Node and workerd, exceeding the limit throws a RangeError; damage throws other errors.
    return error instanceof RangeError;
  }
}

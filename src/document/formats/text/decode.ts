// Decodes text files of any encoding, which they rarely declare.

import { LEGACY_ENCODINGS } from "./languages.ts";
import { costOf } from "./plausibility.ts";
import { pairedZeros } from "./utf16.ts";

/** Bytes that the detection of an encoding reads. */
const ANALYZED_BYTES = 2 ** 18;
/** Bytes of lines whose characters are compared with those of languages. */
const SAMPLE_BYTES = 2 ** 14;
const LINE_END = 10;

/** Returns the text of a file, without its byte order mark. @param declared a declared encoding, if there is one */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  return new TextDecoder(encodingOf(bytes, declared)).decode(bytes);
}

/** Returns the name of an encoding for `TextDecoder`. */
export function encodingOf(bytes: Uint8Array, declared?: string): string {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  const start = bytes.subarray(0, ANALYZED_BYTES);
  const wide = pairedZeros(start);
  if (wide) return wide;
  const known = declared === undefined ? undefined : nameOf(declared);
  // The declaration itself can be read as ASCII, so it is no UTF-16.
  if (known && !known.startsWith("utf-16")) return known;
  if (isUtf8(start, start.length < bytes.length)) return hasJapaneseEscapes(start) ? "iso-2022-jp" : "utf-8";
  return detected(start);
}

function nameOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function isUtf8(start: Uint8Array, isCut: boolean): boolean {
  try {
    // The last character of a part can be incomplete.
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(start, { stream: isCut });
    return true;
  } catch {
    return false;
  }
}

function hasJapaneseEscapes(start: Uint8Array): boolean {
  const text = new TextDecoder("latin1").decode(start);
  return text.includes("\u001b$B") || text.includes("\u001b$@");
}

/** Returns the encoding in which the text is most likely. */
function detected(start: Uint8Array): string {
  const sample = sampleOf(start);
  const costs = LEGACY_ENCODINGS.map((encoding) => ({ name: encoding.name, cost: costOf(sample, encoding) }));
  return costs.reduce((best, one) => (one.cost < best.cost ? one : best)).name;
}

/** Returns lines with characters outside ASCII, which alone tell encodings apart. */
function sampleOf(start: Uint8Array): Uint8Array {
  const sample = new Uint8Array(SAMPLE_BYTES);
  let size = 0;
  for (let at = 0; at < start.length && size < SAMPLE_BYTES; ) {
    const end = start.indexOf(LINE_END, at) + 1 || start.length;
    const line = start.subarray(at, Math.min(end, at + SAMPLE_BYTES - size));
    if (line.some((byte) => byte > 0x7f)) {
      sample.set(line, size);
      size += line.length;
    }
    at = end;
  }
  return sample.subarray(0, size);
}

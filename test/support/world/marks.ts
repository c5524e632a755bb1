// Finds texts in the arguments and results of calls.

import { constants, inflateRawSync, inflateSync } from "node:zlib";

/** Returns the texts that a value contains in any of the encodings of {@link spellings}, also compressed. */
export function marksIn(value: unknown, marks: Iterable<string>): readonly string[] {
  const contents = [...chunksOf(value)].flatMap((chunk) => [chunk, ...inflatedParts(chunk)]);
  return [...marks].filter((mark) => spellings(mark).some((bytes) => contents.some((chunk) => chunk.includes(bytes))));
}

function* chunksOf(value: unknown): Generator<Buffer> {
  if (typeof value === "string") yield Buffer.from(value);
  else if (value instanceof ArrayBuffer) yield Buffer.from(value);
  else if (ArrayBuffer.isView(value)) yield Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  else if (value instanceof Headers || value instanceof Map) yield* chunksOf([...value].flat());
  else if (value instanceof Set || Array.isArray(value)) for (const item of value) yield* chunksOf(item);
  else if (value instanceof Request) yield* chunksOf([value.url, value.headers]);
  else if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) yield* chunksOf([name, item]);
  }
}

/** UTF-8, UTF-16, hexadecimal digits, percent-encoding, and base64 at each offset of a group. */
function spellings(mark: string): readonly Buffer[] {
  const utf8 = Buffer.from(mark);
  const utf16 = Buffer.from(mark, "utf16le");
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), utf8]).toString("base64");
    return text.slice(offset && offset + 1, Math.floor(((offset + utf8.length) * 4) / 3 / 4) * 4);
  });
  return [
    ...[utf8, utf16, Buffer.from(utf16).swap16()],
    ...[utf8.toString("hex"), utf8.toString("hex").toUpperCase(), encodeURIComponent(mark), ...base64].map((text) =>
      Buffer.from(text),
    ),
  ];
}

const ZLIB_HEADERS = ["7801", "785e", "789c", "78da"].map((header) => Buffer.from(header, "hex"));
/** Local header of a ZIP file (APPNOTE 4.3.7): the lengths of name and extra field are at 26 and 28. */
const ZIP_HEADER = Buffer.from("504b0304", "hex");

/** Inflates what is compressed in a file, as in PDF, PNG and ZIP. */
function* inflatedParts(chunk: Buffer): Generator<Buffer> {
  for (const header of ZLIB_HEADERS) {
    for (const at of positionsOf(header, chunk)) yield* inflated(inflateSync, chunk.subarray(at));
  }
  for (const at of positionsOf(ZIP_HEADER, chunk)) {
    if (at + 30 > chunk.length) continue;
    yield* inflated(
      inflateRawSync,
      chunk.subarray(at + 30 + chunk.readUInt16LE(at + 26) + chunk.readUInt16LE(at + 28)),
    );
  }
}

function* positionsOf(part: Buffer, whole: Buffer): Generator<number> {
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1)) yield at;
}

function* inflated(inflate: typeof inflateSync, bytes: Buffer): Generator<Buffer> {
  try {
    yield inflate(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    // These bytes are not compressed.
  }
}

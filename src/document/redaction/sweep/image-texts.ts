// Removes from JPEG and JPEG 2000 data what no decoder shows: comments, metadata with its small images, and bytes
// behind the image (ITU-T T.81, B.2.4; ISO 15444-1, A.9.2 and I.7).
import { endOfCodes, MARKERS, readSegment } from "../../formats/jpeg/markers.ts";
import { boxesOf } from "../../formats/jpx/boxes.ts";

const COMMENT = 0xfe;
const LAST_APP = 0xef;
/** Contents of application segments that decoders need: JFIF, color profiles, and Adobe's color transform. */
const NEEDED = /^(?:JFIF\0|ICC_PROFILE\0|Adobe)/;
const LONGEST_NEEDED = 12;

const NEEDED_BOXES = new Set(["jP  ", "ftyp", "ihdr", "bpcc", "colr", "pclr", "cmap", "cdef", "res ", "jp2c"]);
const CODESTREAM = 0xff4f;
const JPX_COMMENT = 0xff64;
const START_OF_TILE = 0xff90;
const START_OF_DATA = 0xff93;

/** @returns the same bytes if there is nothing to remove */
export function withoutImageTexts(bytes: Uint8Array, filter: string): Uint8Array {
  return filter === "DCTDecode" ? withoutJpegTexts(bytes) : withoutJpxTexts(bytes);
}

function withoutJpegTexts(bytes: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [bytes.subarray(0, 2)];
  let at = 2;
  for (let segment = readSegment(bytes, at); segment; segment = readSegment(bytes, at)) {
    const { marker, data, start } = segment;
    const end = marker === MARKERS.SOS && data ? endOfCodes(bytes, segment.end) : segment.end;
    const isApplication = marker >= MARKERS.APP0 && marker <= LAST_APP;
    if (!(marker === COMMENT || (isApplication && !isNeeded(data)))) kept.push(bytes.subarray(start, end));
    at = end;
    if (marker === MARKERS.EOI || data === undefined) break;
  }
  const length = kept.reduce((sum, part) => sum + part.length, 0);
  return length === bytes.length ? bytes : new Uint8Array(Buffer.concat(kept));
}

const isNeeded = (data: Uint8Array | undefined): boolean =>
  data === undefined || NEEDED.test(Buffer.from(data.subarray(0, LONGEST_NEEDED)).toString("latin1"));

/** Overwrites texts with zeros: all other data stays at its place. */
function withoutJpxTexts(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  try {
    if (copy.readUInt16BE(0) === CODESTREAM) clearComments(copy);
    else clearBoxes(copy);
  } catch (error) {
    // Truncated data: what stands before its end is clear.
    if (!(error instanceof RangeError)) throw error;
  }
  return copy.equals(bytes) ? bytes : new Uint8Array(copy);
}

function clearBoxes(data: Buffer): void {
  let reached = 0;
  for (const { kind, start, body } of boxesOf(data)) {
    if (!NEEDED_BOXES.has(kind)) {
      body.fill(0);
      data.write("free", start + 4, "latin1");
    } else if (kind === "jp2c") clearComments(body);
    reached = Math.max(reached, body.byteOffset - data.byteOffset + body.length);
  }
  data.fill(0, reached);
}

function clearComments(codes: Buffer): void {
  let tileEnd = 0;
  for (let at = 2; at + 4 <= codes.length; ) {
    const marker = codes.readUInt16BE(at);
    if (marker === START_OF_DATA) {
      at = tileEnd;
      continue;
    }
    const length = codes.readUInt16BE(at + 2);
    if (marker >> 8 !== 0xff || length < 2) return;
    if (marker === JPX_COMMENT) codes.fill(0, at + 6, at + 2 + length);
    if (marker === START_OF_TILE) tileEnd = at + (codes.readUInt32BE(at + 6) || codes.length);
    at += 2 + length;
  }
}

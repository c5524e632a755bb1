// Removes from JPEG files what no decoder shows: comments, and metadata with its small images (ITU-T T.81, B.2.4.6).
import { MARKERS, readSegment } from "../../formats/jpeg/markers.ts";

const COMMENT = 0xfe;
/** Segments that decoders need: JFIF, color profiles, and Adobe's color transform. */
const NEEDED = new Set<number>([MARKERS.APP0, MARKERS.APP2, MARKERS.APP14]);
const LAST_APP = 0xef;

/** @returns the same bytes if there is nothing to remove */
export function withoutJpegTexts(bytes: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [bytes.subarray(0, 2)];
  let at = 2;
  for (let segment = readSegment(bytes, at); segment; segment = readSegment(bytes, at)) {
    const { marker, end } = segment;
    const isText = marker === COMMENT || (marker >= MARKERS.APP0 && marker <= LAST_APP && !NEEDED.has(marker));
    if (segment.data === undefined || (!isText && marker === MARKERS.SOS)) break;
    if (!isText) kept.push(bytes.subarray(at, end));
    at = end;
  }
  kept.push(bytes.subarray(at));
  const length = kept.reduce((sum, part) => sum + part.length, 0);
  return length === bytes.length ? bytes : new Uint8Array(Buffer.concat(kept));
}

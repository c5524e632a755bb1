// Reads TIFF images with fax codes (ITU-T T.4 and T.6). Embeds the codes if PDF's filter supports them; otherwise
// recodes them losslessly as T.6.
import { FaxDecoder } from "../ccitt/decode.ts";
import { FaxEncoder } from "../ccitt/encode.ts";
import type { ImageXObject } from "../to-pdf/image-page.ts";
import { profiledSpace } from "../to-pdf/profiled-space.ts";
import { COMPRESSION, PHOTOMETRIC, segmentBytes, type TiffPage } from "./page.ts";
import { faxOptions, reversed } from "./rows.ts";

const ICC_PROFILE = 34_675;
const T4_OPTIONS = 292;
const T6_OPTIONS = 293;
const FAX: ReadonlySet<number> = new Set([COMPRESSION.faxRows, COMPRESSION.t4, COMPRESSION.t6, COMPRESSION.faxWords]);

/**
 * Reports whether a page is bilevel, in strips of fax codes. Other pages with these codes, for example with tiles, are
 * decoded to samples.
 */
export function isFax({ compression, bits, samples, photometric, across, segmentWidth, width }: TiffPage): boolean {
  const isBilevel = photometric === PHOTOMETRIC.whiteIsZero || photometric === PHOTOMETRIC.blackIsZero;
  return FAX.has(compression) && bits === 1 && samples === 1 && isBilevel && across === 1 && segmentWidth === width;
}

export function faxImage(page: TiffPage): ImageXObject {
  const { width, height, photometric, directory, down } = page;
  const parms = passedParms(page);
  const isPassed = down === 1 && parms !== undefined && !hasEmptyRuns(page);
  // Black is 1 in TIFF's fax codes, and 0 by default in PDF (ISO 32000-1, table 11).
  const polarity = photometric === PHOTOMETRIC.blackIsZero ? "/BlackIs1 true" : "";
  const stream = () => bytesInOrder(page, 0);
  return {
    width,
    height,
    bitsPerComponent: 1,
    colorSpace: profiledSpace(directory.bytes(ICC_PROFILE), 1),
    filter: "CCITTFaxDecode",
    decodeParms: `<<${isPassed ? parms : "/K -1"}/Columns ${width}/Rows ${height}${polarity}>>`,
    ...(isPassed ? { size: segmentBytes(page, 0).length } : {}),
    data: () => (isPassed ? [stream()] : recodeStrips(page)),
  };
}

/** @returns undefined if the filter does not support the codes */
function passedParms({ compression, directory }: TiffPage): string | undefined {
  const [t4, t6] = [directory.number(T4_OPTIONS) ?? 0, directory.number(T6_OPTIONS) ?? 0];
  switch (compression) {
    case COMPRESSION.faxRows:
      return "/K 0/EncodedByteAlign true/EndOfBlock false";
    case COMPRESSION.t4:
      // Bit 1 allows uncompressed mode; such codes are recoded.
      return (t4 & 2) === 0 ? `/K ${t4 & 1}/EndOfLine true` : undefined;
    case COMPRESSION.t6:
      return (t6 & 2) === 0 ? "/K -1" : undefined;
    default:
      return undefined;
  }
}

/** Reports whether rows contain empty runs. PDF's filter decodes the rows that refer to such runs differently. */
function hasEmptyRuns(page: TiffPage): boolean {
  const options = faxOptions(page, page.width);
  if (options.kind !== "t6" && !options.isTwoDimensional) return false;
  const decoder = new FaxDecoder(bytesInOrder(page, 0), options);
  for (let row = 0; row < page.height && !decoder.hasEmptyRuns; row++) if (!decoder.next()) break;
  return decoder.hasEmptyRuns;
}

function bytesInOrder(page: TiffPage, index: number): Uint8Array {
  const bytes = segmentBytes(page, index);
  return page.isReversed ? reversed(bytes) : bytes;
}

/**
 * Recodes the strips as one image. The strips cannot be concatenated, because the first row of each strip refers to a
 * white row.
 */
function* recodeStrips(page: TiffPage): Generator<Uint8Array> {
  const { width, height, segmentHeight, down } = page;
  const encoder = new FaxEncoder(width);
  const white = new Uint32Array(0);
  for (let index = 0; index < down; index++) {
    const decoder = new FaxDecoder(bytesInOrder(page, index), faxOptions(page, width));
    const rows = Math.min(segmentHeight, height - index * segmentHeight);
    for (let row = 0; row < rows; row++) {
      encoder.add(decoder.next() ?? white);
      if (encoder.isFull) yield encoder.take();
    }
  }
  encoder.end();
  yield encoder.take();
}

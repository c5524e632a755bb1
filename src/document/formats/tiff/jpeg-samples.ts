// Decodes the JPEGs of a TIFF that PDF cannot embed: JPEGs with extra samples, in planes, or with arithmetic coding.
// Their strips and tiles become uncompressed samples.
import { isArithmetic, type JpegDecoder, unsupportedJpeg } from "../jpeg/frame.ts";
import { type CodedPicture, completeJpeg, frameComponents, frameHeight, frameWidth } from "../jpeg/stream.ts";
import { codedSegment, hasNewJpegs, sharedTables, transformOf } from "./jpeg.ts";
import { COMPRESSION, PHOTOMETRIC, segmentCount, type TiffPage } from "./page.ts";

/**
 * Reports whether a JPEG of the page must be decoded.
 * @throws EngineFailure `unsupported` for JPEGs that cannot be decoded
 */
export function isDecodedHere(page: TiffPage): boolean {
  if (!hasNewJpegs(page)) return false;
  if (page.isPlanar || page.samples !== page.colors) return true;
  const tables = sharedTables(page);
  for (let index = 0; index < segmentCount(page); index++) {
    const picture = codedSegment(page, tables, index);
    if (picture && isArithmetic(picture.frame[1]!)) return true;
  }
  return false;
}

/** Returns the page with decoded segments. A damaged segment becomes empty. */
export function decodedPage(page: TiffPage, decoder: JpegDecoder): TiffPage {
  const tables = sharedTables(page);
  const components = page.isPlanar ? 1 : page.samples;
  const isRgb = page.photometric === PHOTOMETRIC.ycbcr && components === 3;
  return {
    ...page,
    compression: COMPRESSION.none,
    predictor: 1,
    isReversed: false,
    // Decoders convert three components to RGB, and upsample chrominance.
    photometric: isRgb ? PHOTOMETRIC.rgb : page.photometric,
    subsampling: [1, 1],
    segment(index) {
      const picture = codedSegment(page, tables, index);
      return picture ? samplesOf(page, picture, components, decoder) : new Uint8Array(0);
    },
  };
}

/** Returns samples with the width of the segment. The width of the JPEG can differ from it. */
function samplesOf(page: TiffPage, picture: CodedPicture, components: number, decoder: JpegDecoder): Uint8Array {
  if (frameComponents(picture) !== components) throw unsupportedJpeg("TIFF of JPEGs with other samples than it tells");
  const [width, height] = [frameWidth(picture), frameHeight(picture)];
  const transform = transformOf(page, picture);
  const jpeg = Buffer.concat([...completeJpeg(picture, transform)]);
  const samples = decoder.decode(jpeg, {
    width,
    height,
    components,
    ...(transform === undefined ? {} : { transform }),
  });
  if (!samples || width === page.segmentWidth) return samples ?? new Uint8Array(0);
  const [from, to] = [width * components, page.segmentWidth * components];
  const rows = new Uint8Array(to * height);
  for (let y = 0; y < height; y++) rows.set(samples.subarray(y * from, y * from + Math.min(from, to)), y * to);
  return rows;
}

// Reads the description of one image of a TIFF from its directory (TIFF 6.0 sections 3 to 23 and related technical
// notes), and rejects implausible numbers.
import { EngineFailure } from "../../contract/failure.ts";
import { bytesOfRow } from "../to-pdf/image-data.ts";
import type { Directory, TiffBytes } from "./fields.ts";
import { compressionName, photometricName } from "./names.ts";

export const COMPRESSION = {
  none: 1,
  faxRows: 2,
  t4: 3,
  t6: 4,
  lzw: 5,
  oldJpeg: 6,
  jpeg: 7,
  deflate: 8,
  faxWords: 32_771,
  packBits: 32_773,
  oldDeflate: 32_946,
  zstandard: 50_000,
  webp: 50_001,
} as const;
const COMPRESSIONS: ReadonlySet<number> = new Set(Object.values(COMPRESSION));

export const PHOTOMETRIC = {
  whiteIsZero: 0,
  blackIsZero: 1,
  rgb: 2,
  palette: 3,
  inks: 5,
  ycbcr: 6,
  cieLab: 8,
  iccLab: 9,
} as const;
/** Number of color samples, by photometric interpretation. */
const COLORS: Readonly<Record<number, 1 | 3 | 4>> = { 0: 1, 1: 1, 2: 3, 3: 1, 5: 4, 6: 3, 8: 3, 9: 3 };

const [ASSOCIATED, UNASSOCIATED] = [1, 2];
const CMYK_INKS = 1;
const MAX_SAMPLES = 64;

/** @param which text after "TIFF" in the feature name for the client, for example `with complex numbers` */
export const unsupportedTiff = (which: string): EngineFailure =>
  new EngineFailure("unsupported", `TIFF ${which}`, { feature: `TIFF ${which}` });

export interface TiffPage {
  readonly file: TiffBytes;
  readonly directory: Directory;
  readonly width: number;
  readonly height: number;
  readonly compression: number;
  readonly photometric: number;
  /** Bits per sample. */
  readonly bits: number;
  readonly format: "unsigned" | "signed" | "float";
  readonly samples: number;
  /** Number of color samples. They precede the other samples of a pixel. */
  readonly colors: 1 | 3 | 4;
  /** Index of the opacity sample, if present, and whether the colors are premultiplied. */
  readonly alpha?: { readonly index: number; readonly isAssociated: boolean };
  /** True if samples are stored in separate planes, each with its own strips or tiles. */
  readonly isPlanar: boolean;
  readonly isReversed: boolean;
  readonly predictor: 1 | 2 | 3;
  /** Width of a strip or tile. Strips are as wide as the image; tiles can extend beyond it. */
  readonly segmentWidth: number;
  readonly segmentHeight: number;
  readonly isTiled: boolean;
  readonly across: number;
  readonly down: number;
  /** Pixels per chrominance sample in YCbCr. */
  readonly subsampling: readonly [number, number];
  /** Returns the decoded samples of one strip or tile, if its JPEG was decoded. @default the bytes in the file */
  segment?(index: number): Uint8Array;
}

/**
 * @returns undefined if the directory has no plausible image
 * @throws EngineFailure `unsupported` for a plausible image that the service does not support
 */
export function readPage(file: TiffBytes, directory: Directory): TiffPage | undefined {
  const [width, height] = [directory.number(256) ?? 0, directory.number(257) ?? 0];
  const compression = directory.number(259) ?? COMPRESSION.none;
  const isPositive = (value: number) => Number.isSafeInteger(value) && value > 0;
  if (!isPositive(width) || !isPositive(height)) return undefined;
  if (!COMPRESSIONS.has(compression)) throw unsupportedTiff(`compressed with ${compressionName(compression)}`);
  const samples = directory.number(277) ?? 1;
  if (!isPositive(samples) || samples > MAX_SAMPLES) return undefined;
  const photometric = directory.number(262) ?? guessedPhotometric(compression, samples);
  const colors = COLORS[photometric];
  if (
    !colors ||
    (photometric === PHOTOMETRIC.inks && (directory.number(332) ?? CMYK_INKS) !== CMYK_INKS && samples < 4)
  ) {
    throw unsupportedTiff(`with ${photometricName(photometric)}`);
  }
  if (samples < colors) return undefined;
  const depths = directory.numbers(258, samples);
  const bits = depths[0] ?? 1;
  if (depths.some((depth) => depth !== bits)) throw unsupportedTiff("with samples of different depths");
  const format = formatOf(directory.number(339) ?? 1);
  const isFloat = format === "float";
  if (!format || bits < 1 || !(isFloat ? [16, 32, 64].includes(bits) : bits <= 16 || bits === 24 || bits === 32)) {
    throw unsupportedTiff(
      format ? `with ${isFloat ? "floating-point " : ""}samples of ${bits} bits` : "with complex numbers",
    );
  }
  const predictor = directory.number(317) ?? 1;
  if (predictor !== 1 && predictor !== 2 && predictor !== 3) throw unsupportedTiff(`with predictor ${predictor}`);
  const isPlanar = (directory.number(284) ?? 1) === 2 && samples > 1;
  const [horizontal, vertical] =
    photometric === PHOTOMETRIC.ycbcr ? [directory.number(530) ?? 2, directory.number(530, 1) ?? 2] : [1, 1];
  if (![1, 2, 4].includes(horizontal) || ![1, 2, 4].includes(vertical)) return undefined;
  const alpha = alphaOf(directory, samples, colors);
  return {
    file,
    directory,
    width,
    height,
    compression,
    photometric,
    bits,
    format,
    samples,
    colors,
    ...(alpha ? { alpha } : {}),
    isPlanar,
    isReversed: directory.number(266) === 2,
    predictor,
    subsampling: [horizontal, vertical],
    ...segmentsOf(directory, width, height),
  };
}

/** Returns the probable interpretation if the tag is missing: bilevel fax, gray or RGB. */
function guessedPhotometric(compression: number, samples: number): number {
  const isFax = compression >= COMPRESSION.faxRows && compression <= COMPRESSION.t6;
  if (isFax) return PHOTOMETRIC.whiteIsZero;
  return samples >= 3 ? PHOTOMETRIC.rgb : PHOTOMETRIC.blackIsZero;
}

function formatOf(sampleFormat: number): TiffPage["format"] | undefined {
  // 4 is "undefined", which libraries treat as unsigned.
  return ({ 1: "unsigned", 2: "signed", 3: "float", 4: "unsigned" } as const)[sampleFormat];
}

/** Returns the first extra sample with opacity (section 18). */
function alphaOf(directory: Directory, samples: number, colors: number): TiffPage["alpha"] {
  const kinds = directory.numbers(338, samples - colors);
  const index = kinds.findIndex((kind) => kind === ASSOCIATED || kind === UNASSOCIATED);
  return index < 0 ? undefined : { index: colors + index, isAssociated: kinds[index] === ASSOCIATED };
}

function segmentsOf(directory: Directory, width: number, height: number) {
  const [tileWidth, tileHeight] = [directory.number(322), directory.number(323)];
  const isTiled = Boolean(tileWidth && tileHeight && (directory.has(324) || directory.has(273)));
  const rowsPerStrip = directory.number(278) || height;
  const segmentWidth = isTiled ? tileWidth! : width;
  const segmentHeight = isTiled ? tileHeight! : Math.min(rowsPerStrip, height);
  const [across, down] = [Math.ceil(width / segmentWidth), Math.ceil(height / segmentHeight)];
  return { segmentWidth, segmentHeight, isTiled, across, down };
}

/** Returns the number of strips or tiles in all planes. */
export const segmentCount = ({ across, down, isPlanar, samples }: TiffPage): number =>
  across * down * (isPlanar ? samples : 1);

/** Returns the bytes of one strip or tile, possibly truncated. */
export function segmentBytes(page: TiffPage, index: number): Uint8Array {
  const { file, directory, isTiled } = page;
  const [offsets, counts] = isTiled && directory.has(324) ? [324, 325] : [273, 279];
  const offset = directory.number(offsets!, index);
  if (offset === undefined || !(offset < file.bytes.length)) return file.bytes.subarray(0, 0);
  const count = directory.number(counts!, index) || impliedCount(page, index, offset);
  return file.bytes.subarray(offset, Math.min(file.bytes.length, offset + count));
}

/**
 * Returns the byte count of a segment for which the file states none: the size of its pixels if they are uncompressed,
 * otherwise all bytes up to the next segment or the end of the file.
 */
function impliedCount(
  { file, directory, compression, isTiled, ...page }: TiffPage,
  index: number,
  offset: number,
): number {
  if (compression === COMPRESSION.none) {
    const row = bytesOfRow(page.segmentWidth, page.bits * (page.isPlanar ? 1 : page.samples));
    return row * page.segmentHeight;
  }
  const next = directory.number(isTiled && directory.has(324) ? 324 : 273, index + 1);
  return (next !== undefined && next > offset ? next : file.bytes.length) - offset;
}

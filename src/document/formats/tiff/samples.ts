// Converts the samples of one TIFF image to samples for PDF, and separates color from opacity.
import { EngineFailure } from "../../contract/failure.ts";
import { bytesOfRow, type Rows, type Samples, YieldCounter } from "../to-pdf/image-data.ts";
import { type ColorSpace, inverted } from "../to-pdf/image-page.ts";
import { alphaSamples, colorSamples } from "../to-pdf/opacity.ts";
import { profiledSpace } from "../to-pdf/profiled-space.ts";
import { COMPRESSION, PHOTOMETRIC, type TiffPage, unsupportedTiff } from "./page.ts";
import { type Plane, planeRows } from "./rows.ts";
import { depthOf, measuredRange, sampleReader, scaling, statedRange, type ValueRange } from "./values.ts";
import { subsampledRows, toRgb } from "./ycbcr.ts";

const BLOCK_BYTES = 65_536;
const ICC_PROFILE = 34_675;
const COLOR_MAP = 320;
/** Returns the L*a*b* color space under D50 (ISO 32000-1, 8.6.5.4), with the range of a and b for their bit depth. */
const labSpace = (most: number): ColorSpace => ({
  kind: "calibrated",
  array: `[/Lab<</WhitePoint[0.9642 1 0.8249]/Range[-128 ${most} -128 ${most}]>>]`,
});
/** The L* of 0xffff in the ICC encoding, in which 0xff00 is 100 (ICC.1, 6.3.4.2). */
const ICC_LIGHTNESS = (100 * 65_535) / 65_280;

export interface TiffSamples {
  readonly color: Samples;
  /** Opacity, if present, with 8 or 16 bits like the color. */
  readonly opacity?: () => Rows;
}

/** @throws EngineFailure `unsupported` */
export async function samplesOf(page: TiffPage, holdBytes: number): Promise<TiffSamples> {
  const { width, height, colors, photometric, bits } = page;
  const isDirect = isPdfsOwn(page);
  if (isOneMore(page)) return splitSamples(page, holdBytes);
  const depth = isDirect ? (bits as 1 | 2 | 4 | 8 | 16) : depthOf(page);
  const range = isDirect ? undefined : await rangeOf(page, holdBytes);
  const color: Samples = {
    width,
    height,
    bitsPerComponent: depth,
    components: colors,
    ...meaningOf(page, depth),
    rows: () => (range ? convertedRows(page, holdBytes, range, "color") : directRows(page, holdBytes)),
  };
  if (!page.alpha || photometric === PHOTOMETRIC.palette) return { color };
  return { color, opacity: () => convertedRows(page, holdBytes, range!, "opacity") };
}

/**
 * Reports whether samples are whole bytes, and exactly one sample follows the colors: opacity or an unspecified sample.
 */
function isOneMore({ bits, samples, colors, alpha, ...page }: TiffPage): boolean {
  const isWhole = (bits === 8 || bits === 16) && samples === colors + 1 && !alpha?.isAssociated;
  return isWhole && isPdfsOwn({ ...page, bits, samples: colors, colors }) && page.photometric !== PHOTOMETRIC.palette;
}

function splitSamples(page: TiffPage, holdBytes: number): TiffSamples {
  const { width, height, colors, bits, alpha } = page;
  const rows = () => directRows(page, holdBytes);
  const color: Samples = {
    width,
    height,
    bitsPerComponent: bits as 8 | 16,
    components: colors,
    ...meaningOf(page, bits),
    rows: () => colorSamples(rows(), colors, bits / 8),
  };
  return { color, ...(alpha ? { opacity: () => alphaSamples(rows(), colors, bits / 8) } : {}) };
}

/** Returns the bytes per stored row, including the parts of segments beyond the edge of the image. */
export const storedRowBytes = ({ segmentWidth, across, bits, samples }: TiffPage): number =>
  bytesOfRow(segmentWidth, bits * samples) * across;

/** Reports whether rows already have PDF's layout, except for the byte order. */
export function isPdfsOwn({ bits, format, photometric, samples, colors, isPlanar, subsampling }: TiffPage): boolean {
  if (isPlanar || samples !== colors || format !== "unsigned" || subsampling[0] * subsampling[1] !== 1) return false;
  if (photometric === PHOTOMETRIC.palette) return [1, 2, 4, 8].includes(bits);
  return photometric <= PHOTOMETRIC.inks && [1, 2, 4, 8, 16].includes(bits);
}

function meaningOf(page: TiffPage, depth: number): Pick<Samples, "colorSpace" | "decode"> {
  const { photometric, directory, colors, bits } = page;
  const profile = directory.bytes(ICC_PROFILE);
  switch (photometric) {
    case PHOTOMETRIC.whiteIsZero:
      return { colorSpace: profiledSpace(profile, 1), decode: inverted(1) };
    case PHOTOMETRIC.palette:
      return { colorSpace: { kind: "indexed", base: profiledSpace(profile, 3), palette: paletteOf(page, depth) } };
    case PHOTOMETRIC.cieLab:
    case PHOTOMETRIC.iccLab: {
      if (bits === 8) return { colorSpace: labSpace(127) };
      const most = 128 - 1 / 256;
      const isIcc = photometric === PHOTOMETRIC.iccLab;
      return { colorSpace: labSpace(most), ...(isIcc ? { decode: [0, ICC_LIGHTNESS, -128, most, -128, most] } : {}) };
    }
    default:
      return { colorSpace: profiledSpace(profile, colors) };
  }
}

/**
 * Returns the palette. The file stores all reds, all greens, then all blues with 16 bits (section 5); some programs
 * write 8 bits.
 */
function paletteOf({ bits, directory }: TiffPage, depth: number): Uint8Array {
  const size = 2 ** bits;
  const map = directory.numbers(COLOR_MAP, 3 * size);
  if (bits > 8) throw unsupportedTiff(`with a palette of ${bits} bits`);
  if (map.length < 3) throw new EngineFailure("damaged", "a TIFF without its palette");
  const shift = map.some((value) => value > 255) ? 8 : 0;
  const palette = new Uint8Array(3 * Math.min(size, 2 ** depth));
  for (let index = 0; index < size; index++) {
    for (let color = 0; color < 3; color++) palette[index * 3 + color] = (map[color * size + index] ?? 0) >> shift;
  }
  return palette;
}

function planesOf(page: TiffPage): Plane[] {
  const { width, height, segmentWidth, segmentHeight, samples, bits, photometric, subsampling, predictor, isPlanar } =
    page;
  const [h, v] = subsampling;
  // Missing rows of gray, RGB and CMYK files are white (section 8): 255 if zero is black, 0 if zero is white or no ink.
  // Missing rows of other files are 0, or 128 if their colors are subsampled.
  const isLight = photometric === PHOTOMETRIC.blackIsZero || photometric === PHOTOMETRIC.rgb;
  const fill = isLight ? 255 : 0;
  if (h * v > 1) {
    if (isPlanar || bits !== 8 || predictor !== 1 || samples !== 3)
      throw unsupportedTiff("with subsampled colors in planes, of other than 8 bits, or with a predictor");
    const unit = h * v + 2;
    return [
      {
        index: 0,
        samples: unit,
        segmentRowBytes: Math.ceil(segmentWidth / h) * unit,
        rowBytes: Math.ceil(width / h) * unit,
        segmentRows: Math.ceil(segmentHeight / v),
        rows: Math.ceil(height / v),
        fill: 128,
      },
    ];
  }
  const planeSamples = isPlanar ? 1 : samples;
  return Array.from({ length: isPlanar ? samples : 1 }, (_, index) => ({
    index,
    samples: planeSamples,
    segmentRowBytes: bytesOfRow(segmentWidth, bits * planeSamples),
    rowBytes: bytesOfRow(width, bits * planeSamples),
    segmentRows: segmentHeight,
    rows: height,
    fill,
  }));
}

async function* directRows(page: TiffPage, holdBytes: number): AsyncGenerator<Uint8Array> {
  const [plane] = planesOf(page);
  const swaps = page.bits === 16 && page.file.isLittleEndian;
  const { rowBytes } = plane!;
  const rows = Math.max(1, Math.floor(BLOCK_BYTES / rowBytes));
  const block = new Uint8Array(rows * rowBytes);
  let filled = 0;
  for await (const row of planeRows(page, plane!, holdBytes)) {
    if (swaps) {
      for (let at = 0; at < rowBytes; at += 2) {
        block[filled + at] = row[at + 1]!;
        block[filled + at + 1] = row[at]!;
      }
    } else {
      block.set(row, filled);
    }
    filled += rowBytes;
    if (filled < block.length) continue;
    yield block;
    filled = 0;
  }
  if (filled > 0) yield block.subarray(0, filled);
}

/** Yields the rows of all planes together, with subsampling expanded. */
async function* storedRows(page: TiffPage, planes: readonly Plane[], holdBytes: number): AsyncGenerator<Uint8Array[]> {
  const [h, v] = page.subsampling;
  if (h * v > 1) {
    for await (const row of subsampledRows(page, planeRows(page, planes[0]!, holdBytes))) yield [row];
    return;
  }
  const share = holdBytes / planes.length;
  const readers = planes.map((plane) => planeRows(page, plane, share));
  try {
    for (let y = 0; y < page.height; y++) {
      yield await Promise.all(readers.map(async (reader) => (await reader.next()).value as Uint8Array));
    }
  } finally {
    for (const reader of readers) await reader.return(undefined);
  }
}

/** The positions of the selected samples in the rows of the planes that are read. */
interface SamplePositions {
  readonly planes: readonly Plane[];
  readonly samples: readonly { readonly plane: number; readonly first: number; readonly step: number }[];
}

/** Finds the selected samples, and the planes that contain them. Other planes are not read. */
function samplePositions(page: TiffPage, wanted: readonly number[]): SamplePositions {
  const planes = planesOf(page);
  if (!page.isPlanar) return { planes, samples: wanted.map((first) => ({ plane: 0, first, step: page.samples })) };
  return {
    planes: wanted.map((index) => planes[index]!),
    samples: wanted.map((_, plane) => ({ plane, first: 0, step: 1 })),
  };
}

async function* convertedRows(
  page: TiffPage,
  holdBytes: number,
  range: ValueRange,
  wanted: "color" | "opacity",
): AsyncGenerator<Uint8Array> {
  const { width, colors, alpha } = page;
  const ofColor = [...Array(colors).keys(), ...(alpha?.isAssociated ? [alpha.index] : [])];
  const { planes, samples } = samplePositions(page, wanted === "opacity" ? [alpha!.index] : ofColor);
  const depth = depthOf(page);
  const read = sampleReader(page);
  const scale = lookedUp(scaling(range, depth), page.bits, page.format);
  const finish = wanted === "color" ? finisher(page, depth) : undefined;
  const outputs = wanted === "color" ? colors : 1;
  const bytes = depth / 8;
  const rowBytes = width * outputs * bytes;
  const block = new Uint8Array(Math.max(1, Math.floor(BLOCK_BYTES / rowBytes)) * rowBytes);
  const pixel = new Float64Array(samples.length);
  let filled = 0;
  for await (const rows of storedRows(page, planes, holdBytes)) {
    const views = rows.map((row) => new DataView(row.buffer, row.byteOffset, row.length));
    for (let x = 0; x < width; x++) {
      for (let index = 0; index < samples.length; index++) {
        const { plane, first, step } = samples[index]!;
        pixel[index] = scale(read(views[plane]!, first + x * step));
      }
      finish?.(pixel);
      for (let index = 0; index < outputs; index++) {
        const value = pixel[index]!;
        if (bytes === 2) block[filled++] = value >> 8;
        block[filled++] = value;
      }
    }
    if (filled < block.length) continue;
    yield block;
    filled = 0;
  }
  if (filled > 0) yield block.subarray(0, filled);
}

/** Returns a function that looks up scaled values in a table, if there are few possible values. */
function lookedUp(scale: (value: number) => number, bits: number, format: string): (value: number) => number {
  if (bits > 16 || format === "float") return scale;
  const table = Uint16Array.from({ length: 2 ** bits }, (_, value) => scale(value));
  return (value) => table[value]!;
}

/**
 * Returns a function that converts a pixel of scaled samples in place. The samples are the colors, then the opacity if
 * the colors are premultiplied.
 */
function finisher(page: TiffPage, depth: 8 | 16): ((pixel: Float64Array) => void) | undefined {
  const { photometric, alpha, colors } = page;
  const most = 2 ** depth - 1;
  if (photometric === PHOTOMETRIC.ycbcr) return toRgb(page);
  if (photometric === PHOTOMETRIC.cieLab) {
    // a and b are signed (section 23).
    const half = 2 ** (depth - 1);
    return (pixel) => {
      pixel[1] = (pixel[1]! + half) & most;
      pixel[2] = (pixel[2]! + half) & most;
    };
  }
  if (!alpha?.isAssociated) return undefined;
  return (pixel) => {
    const opacity = pixel[colors]!;
    if (opacity === 0 || opacity === most) return;
    for (let index = 0; index < colors; index++) {
      pixel[index] = Math.min(most, Math.round((pixel[index]! * most) / opacity));
    }
  };
}

/** Returns the range of values. Without a stated range, reads the whole image once to find it. */
async function rangeOf(page: TiffPage, holdBytes: number): Promise<ValueRange> {
  if (page.photometric === PHOTOMETRIC.palette) return { least: 0, most: 255 };
  const stated = statedRange(page);
  if (stated) return stated;
  const read = sampleReader(page);
  const { planes, samples } = samplePositions(page, [...Array(page.colors).keys()]);
  const stretches = new YieldCounter();
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for await (const rows of storedRows(page, planes, holdBytes)) {
    const views = rows.map((row) => new DataView(row.buffer, row.byteOffset, row.length));
    await stretches.worked(rows.reduce((sum, { length }) => sum + length, 0));
    for (const { plane, first, step } of samples) {
      for (let x = 0; x < page.width; x++) {
        const value = read(views[plane]!, first + x * step);
        if (value < least && value > Number.NEGATIVE_INFINITY) least = value;
        if (value > most && value < Number.POSITIVE_INFINITY) most = value;
      }
    }
  }
  return measuredRange(page, least <= most ? { least, most } : { least: 0, most: 1 });
}

/** Reports whether this module decodes the samples; JPEG is decoded elsewhere. */
export const isUnpackedHere = ({ compression }: TiffPage): boolean =>
  compression !== COMPRESSION.jpeg && compression !== COMPRESSION.oldJpeg;

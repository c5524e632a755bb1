// Separates a scan of print into mixed raster content: high-resolution stencils, one per ink, over a low-resolution
// image of everything else. Rejects the result if any part of the page differs more from the original than a JPEG
// would.

import { type Address, ImageKernel } from "../formats/image-kernel.ts";
import { encodeJbig2 } from "../formats/jbig2/write.ts";
import { JpegReader } from "../formats/jpeg/entropy/coefficients.ts";
import { UnreadableJpeg } from "../formats/jpeg/file.ts";
import { resampleJpeg } from "../formats/jpeg/resample.ts";
import { encodePlanes, type Plane } from "../formats/jpeg/samples.ts";
import type { StreamBody } from "../objects/values.ts";
import type { PdfImage } from "./image.ts";
import { isPlainJpeg, readSamples, type SampleLimits, transformOf, UnreadableImage } from "./image-samples.ts";
import { chooseInks, type Ink, SHAPE_NUMBERS } from "./ink-shapes.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface MixedRasterOptions {
  /** Size of the stencils in pixels. If it exceeds the image size, edges are interpolated. */
  readonly print: Size;
  /** Resolution of the stencils on the page. */
  readonly dpi: number;
  /** Size of the backdrop in pixels if it shows only paper. `picture`: its size if it shows more. */
  readonly paper: Size;
  readonly picture: Size;
  /** Quality of the JPEG. */
  readonly quality: number;
  readonly limits: SampleLimits;
}

/** The layers: the backdrop covers the unit square, and the stencils are painted over it. */
export interface MixedRaster {
  readonly backdrop: Size & { readonly jpeg: Uint8Array };
  /**
   * Size of all stencils. Each covers the whole unit square: viewers round positions, so smaller stencils could be
   * misaligned.
   */
  readonly print: Size;
  readonly stencils: readonly Stencil[];
}

export interface Stencil {
  /** Gray, or red, green and blue, from 0 to 1, in the color space of the image. */
  readonly color: readonly number[];
  /** Data for the filter JBIG2Decode. Black is painted. */
  readonly jbig2: Uint8Array;
}

/** The mark of the first ink (wasm/picture/assembly/shapes.ts). */
const FIRST_INK = 2;
/** Width, in inches, of the border around ink where the scanner or JPEG coding has tinted the paper. */
const BLEED = 2.5 / 300;
/** Binary logarithm of the tile side in pixels. Errors are compared by tile. */
const TILE_SHIFT = 5;
/**
 * Maximum error of a tile, as a multiple of its error in a single resampled image. `SLACK`: mean square error that is
 * allowed in addition, because JPEG coding would increase the error of that image.
 */
const MORE = 1.4;
/** The same maximum if the stencils have more pixels than the image, whose edges are then softer. */
const MORE_ENLARGED = 2;
const SLACK = 140;
/** Weight of errors in chrominance planes, which have a quarter of the pixels. */
const COLOR_WEIGHT = 2;
/** Maximum number of attempts, each with fewer shapes or with the larger backdrop. */
const ATTEMPTS = 5;
/** Maximum fraction of failing tiles that counts as few. */
const FEW_TILES = 0.01;
/** Kernel memory per pixel for planes, marks and runs. */
const BYTES_PER_PIXEL = 3.6;

/** A plane of the scan with its size. */
interface SizedPlane extends Plane, Size {
  /** 1 for a plane of half the size, otherwise 0. */
  readonly shift: number;
}

/** @returns undefined if the image is not a scan of print, or the memory does not suffice */
export function separatePrint(image: PdfImage, body: StreamBody, options: MixedRasterOptions): MixedRaster | undefined {
  const { print, limits } = options;
  const jpegBytes = isPlainJpeg(image) ? body.raw().length : print.width * print.height * 3;
  if (print.width * print.height * BYTES_PER_PIXEL + jpegBytes > limits.kernelBytes) return undefined;
  using kernel = new ImageKernel();
  try {
    const planes = readPlanes(kernel, image, body, options);
    if (!planes) return undefined;
    const [{ width }] = planes as [SizedPlane];
    const isSmaller = width < print.width;
    return new Separation(kernel, isSmaller ? enlargePlanes(kernel, planes, print) : planes, options, isSmaller).run();
  } catch (error) {
    const isExpected =
      error instanceof UnreadableImage || error instanceof UnreadableJpeg || error instanceof WebAssembly.RuntimeError;
    if (isExpected) return undefined;
    throw error;
  }
}

/** Reads the luminance plane, and the chrominance planes at half its size. */
function readPlanes(
  kernel: ImageKernel,
  image: PdfImage,
  body: StreamBody,
  { print, limits }: MixedRasterOptions,
): SizedPlane[] | undefined {
  const [width, height] = [Math.min(print.width, image.width), Math.min(print.height, image.height)];
  const half = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) };
  const withSizes = (planes: readonly Plane[]) =>
    planes.map((plane, index) => ({ ...plane, ...(index > 0 ? half : { width, height }), shift: index > 0 ? 1 : 0 }));
  if (isPlainJpeg(image)) {
    const reader = new JpegReader(kernel, body.raw());
    const count = reader.frame.components.length;
    if (count !== image.colors?.channels || reader.frame.width !== image.width) return undefined;
    if (count !== 1 && !(count === 3 && transformOf(reader, image) !== 0)) return undefined;
    const factors = reader.frame.components.map((_, index) =>
      count === 3 && index === 0 ? { across: 2, down: 2 } : { across: 1, down: 1 },
    );
    return withSizes(resampleJpeg(kernel, reader, width, height, factors, limits.kernelBytes));
  }
  const pixels = readSamples(kernel, image, body, { width, height, nearest: false }, limits);
  const { exports } = kernel;
  if (pixels.channels === 1) {
    exports.pad(pixels.at, width, height, pixels.stride, Math.ceil(height / 16) * 16, 1);
    return withSizes([{ at: pixels.at, stride: pixels.stride, across: 1, down: 1 }]);
  }
  const planes = [{ width, height }, half, half].map((size, index) => {
    const [stride, rows] = [Math.ceil(size.width / 16) * 16, Math.ceil(size.height / 16) * 16];
    const factor = index === 0 ? 2 : 1;
    return { ...size, at: exports.allocate(stride * rows + 64), stride, rows, across: factor, down: factor };
  });
  const [y, cb, cr] = planes as unknown as [Plane, Plane, Plane];
  for (let row = 0; row < height; row++) {
    const isColored = row % 2 === 0;
    const chroma = (plane: Plane) => (isColored ? plane.at + (row / 2) * plane.stride : 0);
    exports.splitRgb(pixels.at + row * pixels.stride, width, y.at + row * y.stride, chroma(cb), chroma(cr));
  }
  for (const plane of planes) exports.pad(plane.at, plane.width, plane.height, plane.stride, plane.rows, 1);
  return withSizes(planes);
}

/** Returns the planes enlarged by interpolation. */
function enlargePlanes(kernel: ImageKernel, planes: readonly SizedPlane[], print: Size): SizedPlane[] {
  const { exports } = kernel;
  return planes.map((plane) => {
    const width = plane.shift ? Math.ceil(print.width / 2) : print.width;
    const height = plane.shift ? Math.ceil(print.height / 2) : print.height;
    const [stride, rows] = [Math.ceil(width / 16) * 16, Math.ceil(height / 16) * 16];
    const at = exports.allocate(stride * rows + 64);
    exports.enlargePlane(plane.at, plane.stride, plane.width, plane.height, at, stride, width, height);
    exports.pad(at, width, height, stride, rows, 1);
    return { ...plane, at, stride, width, height };
  });
}

/** A plane at low resolution. */
interface Layer extends Plane, Size {}

class Separation {
  readonly #kernel: ImageKernel;
  readonly #planes: readonly SizedPlane[];
  readonly #options: MixedRasterOptions;
  readonly #marks: Address;
  readonly #tiles: Size;
  readonly #more: number;

  constructor(kernel: ImageKernel, planes: readonly SizedPlane[], options: MixedRasterOptions, isEnlarged: boolean) {
    this.#more = isEnlarged ? MORE_ENLARGED : MORE;
    const { width, height } = options.print;
    this.#kernel = kernel;
    this.#planes = planes;
    this.#options = options;
    this.#marks = kernel.exports.allocate(width * height + 64);
    this.#tiles = { width: (width >> TILE_SHIFT) + 1, height: (height >> TILE_SHIFT) + 1 };
  }

  run(): MixedRaster | undefined {
    const { exports } = this.#kernel;
    const { print, dpi, paper, picture } = this.#options;
    // Without marks, this is the error of a single resampled image.
    const plain = this.#errors(this.#layers(picture), 0, []);
    const [luma, blue, red] = this.#planes;
    exports.markInk(luma!.at, luma!.stride, print.width, print.height, this.#marks);
    if (!exports.findShapes(this.#marks, print.width, print.height)) return undefined;
    exports.describeShapes(luma!.at, luma!.stride, blue?.at ?? 0, red?.at ?? 0, blue?.stride ?? 0);
    const count: number = exports.shapeCount.value;
    if (count === 0) return undefined;
    const memory = exports.memory.buffer;
    const choices = new Uint8Array(memory, exports.choices.value, count);
    const inks = chooseInks(
      new Float64Array(memory, exports.shapes.value, count * SHAPE_NUMBERS),
      choices,
      FIRST_INK,
      dpi,
    );
    if (inks.length === 0) return undefined;
    let size = paper;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      exports.paintShapes(Math.round(BLEED * dpi));
      const layers = this.#layers(size);
      const mixed = this.#errors(layers, this.#marks, inks);
      const worse = this.#worse(mixed, plain);
      const count = worse.reduce((total, tile) => total + tile, 0);
      if (count === 0) return sum(mixed) < sum(plain) * this.#more ? this.#coded(layers, size, inks) : undefined;
      // Many failing tiles: the page shows more than print on paper. Few: some shapes are not print.
      const isPicture = size !== picture && (attempt > 0 || count > worse.length * FEW_TILES);
      if (isPicture) size = picture;
      else exports.dropShapes(this.#kernel.put(worse), this.#tiles.width, TILE_SHIFT);
    }
    return undefined;
  }

  /** Returns the backdrop with all marked pixels filled in. */
  #layers({ width, height }: Size): Layer[] {
    const { exports } = this.#kernel;
    return this.#planes.map((plane) => {
      const [across, down] = plane.shift ? [Math.ceil(width / 2), Math.ceil(height / 2)] : [width, height];
      const [stride, rows] = [Math.ceil(across / 16) * 16, Math.ceil(down / 16) * 16];
      const at = exports.allocate(stride * rows + 64);
      const { at: from, stride: fromStride, shift } = plane;
      const marked = [this.#marks, this.#options.print.width, shift] as const;
      exports.takeBackdrop(from, fromStride, plane.width, plane.height, ...marked, at, stride, across, down);
      exports.pad(at, across, down, stride, rows, 1);
      return { at, stride, across: plane.across, down: plane.down, width: across, height: down };
    });
  }

  /** Returns the sum of squared differences per tile. @param marks 0 for the backdrop alone */
  #errors(layers: readonly Layer[], marks: Address, inks: readonly Ink[]): Float32Array {
    const { exports } = this.#kernel;
    const tiles = this.#tiles.width * this.#tiles.height;
    const total = new Float32Array(tiles);
    this.#planes.forEach(({ at, stride, width, height, shift }, index) => {
      const errors = exports.allocate(tiles * 4);
      const colors = this.#kernel.put(Uint8Array.from(inks, ({ color }) => Math.round(color[index]!)));
      const layer = layers[index]!;
      const marked = [marks, this.#options.print.width, shift, colors] as const;
      const low = [layer.at, layer.stride, layer.width, layer.height] as const;
      const tiled = [TILE_SHIFT - shift, this.#tiles.width, errors] as const;
      exports.compareLayers(at, stride, width, height, ...marked, ...low, ...tiled);
      const found = new Float32Array(exports.memory.buffer, errors, tiles);
      for (let tile = 0; tile < tiles; tile++) total[tile]! += found[tile]! * (shift ? COLOR_WEIGHT : 1);
    });
    return total;
  }

  /** @returns a byte per tile: 1 if the layers have a larger error than allowed */
  #worse(mixed: Float32Array, plain: Float32Array): Uint8Array {
    const more = this.#more;
    const slack = SLACK << (2 * TILE_SHIFT);
    return Uint8Array.from(mixed, (error, tile) => (error > plain[tile]! * more + slack ? 1 : 0));
  }

  #coded(layers: readonly Layer[], size: Size, inks: readonly Ink[]): MixedRaster {
    const { quality, print } = this.#options;
    const jpeg = encodePlanes(this.#kernel, size.width, size.height, layers, { quality, subsampled: true }, undefined);
    const stencils = inks.map((ink, index) => this.#stencil(ink, FIRST_INK + index));
    return { backdrop: { ...size, jpeg }, print, stencils: stencils.filter((stencil) => stencil !== undefined) };
  }

  #stencil({ color }: Ink, mark: number): Stencil | undefined {
    const { exports } = this.#kernel;
    const { width, height } = this.#options.print;
    const bits = exports.allocate(Math.ceil(width / 8) * height);
    // `dropShapes` might have dropped all shapes of this ink.
    if (exports.bitsOfInk(mark, bits) === 0) return undefined;
    return { color: colorOf(color, this.#planes.length > 1), jbig2: encodeJbig2(this.#kernel, bits, width, height) };
  }
}

const sum = (errors: Float32Array) => errors.reduce((total, error) => total + error, 0);

/** Converts YCbCr to RGB (JFIF 1.02). */
function colorOf([y, cb = 128, cr = 128]: readonly number[], hasColor: boolean): number[] {
  const [blue, red] = [cb - 128, cr - 128];
  const rgb = [y! + 1.402 * red, y! - 0.344136 * blue - 0.714136 * red, y! + 1.772 * blue];
  return (hasColor ? rgb : [y!]).map((value) => Math.min(255, Math.max(0, value)) / 255);
}

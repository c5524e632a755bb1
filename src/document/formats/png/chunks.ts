// Reads the chunks of a PNG (3rd edition, clauses 5 and 11): the properties of the image, and the validity of its data.
import { crc32 } from "node:zlib";
import { ByteReader } from "../../contract/byte-reader.ts";
import { EngineFailure } from "../../contract/failure.ts";
import type { Input } from "../../contract/operation.ts";
import { Inflater, inflatedAtOnce } from "../deflate/inflate.ts";
import { type ExifInfo, readExif } from "../exif/exif.ts";
import { MAX_PROFILE_BYTES } from "../icc/header.ts";
import type { Primaries } from "../to-pdf/calibrated.ts";
import { bytesOfRow, MAX_SAMPLE_BYTES, YieldCounter } from "../to-pdf/image-data.ts";
import type { Density } from "../to-pdf/image-page.ts";
import { densityOfAspect, pageSize, saneDensity } from "../to-pdf/page-size.ts";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Maximum size of a chunk that is read into memory. */
const MAX_KEPT_BYTES = MAX_PROFILE_BYTES;
/** Maximum bytes after the last row that are read to check the end of the stream. */
const MAX_SURPLUS_BYTES = 2 ** 20;
const METERS_PER_INCH = 0.0254;
/** Channels and allowed bit depths by color type (clause 11.2.1, table 12). */
const COLOR_TYPES: Readonly<Record<number, { readonly channels: 1 | 2 | 3 | 4; readonly depths: readonly number[] }>> =
  {
    0: { channels: 1, depths: [1, 2, 4, 8, 16] },
    2: { channels: 3, depths: [8, 16] },
    3: { channels: 1, depths: [1, 2, 4, 8] },
    4: { channels: 2, depths: [8, 16] },
    6: { channels: 4, depths: [8, 16] },
  };

export interface PngHeader {
  readonly width: number;
  readonly height: number;
  readonly bits: 1 | 2 | 4 | 8 | 16;
  readonly colorType: 0 | 2 | 3 | 4 | 6;
  readonly channels: 1 | 2 | 3 | 4;
  readonly isInterlaced: boolean;
}

/** Rows of one size, in data order: of the whole image, or of one interlace pass. */
export interface PngPass {
  readonly rowBytes: number;
  readonly rows: number;
}

export interface PngFile {
  readonly header: PngHeader;
  /** Bytes of all IDAT chunks. */
  readonly imageBytes: number;
  /** True if the data are one complete zlib stream of rows with valid filter types. */
  readonly isSound: boolean;
  /** 3 bytes per entry. */
  readonly palette?: Uint8Array;
  /** The data of tRNS. */
  readonly transparency?: Uint8Array;
  readonly profile?: Uint8Array;
  readonly isSrgb: boolean;
  /** Display gamma, such as 2.2. */
  readonly gamma?: number;
  readonly primaries?: Primaries;
  readonly density?: Density;
  readonly seen?: ExifInfo;
  /** Number of frames of an animation that follow the first one. */
  readonly furtherFrames: number;
}

/** Reads the whole file, including image data. @throws EngineFailure */
export async function scanPng(input: Input): Promise<PngFile> {
  await using reader = new ByteReader(input.stream());
  const signature = await reader.read(8);
  if (!SIGNATURE.every((byte, index) => signature?.[index] === byte)) throw new EngineFailure("damaged", "no PNG");
  const header = await readHeader(await nextChunk(reader));
  const chunks = new Map<string, Uint8Array>();
  using rows = new RowCheck(passesOf(header));
  const stretches = new YieldCounter();
  let imageBytes = 0;
  for (;;) {
    const chunk = await nextChunk(reader);
    if (!chunk || chunk.type === "IEND") break;
    if (chunk.type === "IDAT") {
      // Checks the page size before anything is inflated. The chunks that determine the size precede the image data.
      if (imageBytes === 0) pageSize({ ...header, orientation: 1, ...densityOf(chunks) });
      imageBytes += await checkData(chunk, rows, stretches);
    } else if (chunk.isCritical && chunk.type !== "PLTE") {
      throw new EngineFailure("unsupported", `a PNG with ${JSON.stringify(chunk.type)}`);
    } else if (KEPT.has(chunk.type) && !chunks.has(chunk.type)) {
      const data = await chunk.data();
      if (data) chunks.set(chunk.type, data.slice());
      else if (chunk.type === "PLTE") throw new EngineFailure("damaged", "a PNG with a damaged palette");
    }
    if (!(await chunk.end())) break;
  }
  if (rows.whole === 0) throw new EngineFailure("damaged", "a PNG without image data");
  return { header, imageBytes, isSound: await rows.end(), ...describe(header, chunks) };
}

/** Yields the data of all IDAT chunks. */
export async function* imageData(input: Input): AsyncGenerator<Uint8Array> {
  await using reader = new ByteReader(input.stream());
  await reader.skip(8);
  for (;;) {
    const chunk = await nextChunk(reader);
    if (!chunk || chunk.type === "IEND") return;
    if (chunk.type === "IDAT") yield* chunk.pieces();
    if (!(await chunk.end())) return;
  }
}

/** Returns the passes of the inflated data: one pass, or the non-empty passes of Adam7 (clause 8.2). */
function passesOf({ width, height, bits, channels, isInterlaced }: PngHeader): PngPass[] {
  const pass = (columns: number, rows: number) => ({ rowBytes: bytesOfRow(columns, bits * channels), rows });
  if (!isInterlaced) return [pass(width, height)];
  return ADAM7.map(({ x, y, stepX, stepY }) => [Math.ceil((width - x) / stepX), Math.ceil((height - y) / stepY)])
    .filter(([columns, rows]) => columns! > 0 && rows! > 0)
    .map(([columns, rows]) => pass(columns!, rows!));
}

/** The passes of Adam7 (clause 8.2). */
export const ADAM7 = [
  { x: 0, y: 0, stepX: 8, stepY: 8 },
  { x: 4, y: 0, stepX: 8, stepY: 8 },
  { x: 0, y: 4, stepX: 4, stepY: 8 },
  { x: 2, y: 0, stepX: 4, stepY: 4 },
  { x: 0, y: 2, stepX: 2, stepY: 4 },
  { x: 1, y: 0, stepX: 2, stepY: 2 },
  { x: 0, y: 1, stepX: 1, stepY: 2 },
] as const;

interface Chunk {
  readonly type: string;
  /** True if a reader that does not support the chunk cannot show the image (clause 5.4). */
  readonly isCritical: boolean;
  /** Returns the contents; undefined if they are truncated, too large or fail their CRC. */
  data(): Promise<Uint8Array | undefined>;
  pieces(): AsyncIterable<Uint8Array>;
  /** Skips to the end of the chunk. @returns false at the end of the file */
  end(): Promise<boolean>;
}

const KEPT: ReadonlySet<string> = new Set(["PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "pHYs", "eXIf", "acTL"]);

async function nextChunk(reader: ByteReader): Promise<Chunk | undefined> {
  const head = (await reader.read(8))?.slice();
  if (!head) return undefined;
  const length = viewOf(head).getUint32(0);
  const name = head.subarray(4);
  const end = reader.position + length + 4;
  return {
    type: String.fromCharCode(...name),
    isCritical: (name[0]! & 0x20) === 0,
    async data() {
      if (length > MAX_KEPT_BYTES) return undefined;
      const bytes = await reader.read(length + 4);
      if (!bytes || viewOf(bytes).getUint32(length) !== crc32(bytes.subarray(0, length), crc32(name))) return undefined;
      return bytes.subarray(0, length);
    },
    pieces: () => reader.pieces(length),
    end: () => reader.skip(end - reader.position),
  };
}

async function readHeader(chunk: Chunk | undefined): Promise<PngHeader> {
  const data = chunk?.type === "IHDR" ? await chunk.data() : undefined;
  await chunk?.end();
  if (data?.length !== 13) throw new EngineFailure("damaged", "a PNG without a header");
  const view = viewOf(data);
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  const [bits, colorType, compression, filter, interlace] = data.subarray(8);
  const kind = COLOR_TYPES[colorType!];
  const isSound = width > 0 && height > 0 && compression === 0 && filter === 0 && interlace! <= 1;
  if (!isSound || !kind?.depths.includes(bits!)) throw new EngineFailure("damaged", "a PNG with an invalid header");
  const header = {
    width,
    height,
    bits,
    colorType,
    channels: kind.channels,
    isInterlaced: interlace === 1,
  } as PngHeader;
  const bytes = passesOf(header).reduce((sum, { rowBytes, rows }) => sum + (rowBytes + 1) * rows, 0);
  if (bytes > MAX_SAMPLE_BYTES) throw new EngineFailure("too-complex", `a PNG of ${width} x ${height} pixels`);
  return header;
}

/** @returns the number of bytes */
async function checkData(chunk: Chunk, rows: RowCheck, stretches: YieldCounter): Promise<number> {
  let size = 0;
  for await (const piece of chunk.pieces()) {
    size += piece.length;
    for await (const bytes of rows.add(piece)) await stretches.worked(bytes);
  }
  return size;
}

/** Inflates the data without storing it, and checks the filter type of each row (clause 9.2). */
class RowCheck implements Disposable {
  /** Number of complete rows so far. */
  whole = 0;
  readonly #inflater = new Inflater("strict");
  readonly #passes: PngPass[];
  /** Missing bytes of the current row; 0 before its filter type. */
  #left = 0;
  #rowsLeft: number;
  #isWrong = false;
  #beyond = 0;

  constructor(passes: PngPass[]) {
    this.#passes = passes;
    this.#rowsLeft = passes[0]!.rows;
  }

  /** Reports whether the data were valid. Must be called after the last piece. */
  async end(): Promise<boolean> {
    return !this.#isWrong && this.#passes.length === 0 && this.#inflater.end();
  }

  /** Yields the size of each inflated chunk. */
  async *add(data: Uint8Array): AsyncGenerator<number> {
    if (this.#isWrong) return;
    for await (const bytes of this.#inflater.push(data)) {
      // Data after the last row is harmless, but could be endless.
      if (this.#passes.length === 0) this.#beyond += bytes.length;
      if (this.#beyond > MAX_SURPLUS_BYTES) this.#isWrong = true;
      this.#count(bytes);
      if (this.#isWrong) return;
      yield bytes.length;
    }
  }

  #count(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && this.#passes.length > 0; ) {
      if (this.#left === 0) {
        if (bytes[at]! > 4) {
          this.#isWrong = true;
          return;
        }
        this.#left = this.#passes[0]!.rowBytes;
        at++;
      }
      const step = Math.min(this.#left, bytes.length - at);
      this.#left -= step;
      at += step;
      if (this.#left === 0) this.#endRow();
    }
  }

  #endRow(): void {
    this.whole++;
    if (--this.#rowsLeft > 0) return;
    this.#passes.shift();
    this.#rowsLeft = this.#passes[0]?.rows ?? 0;
  }

  [Symbol.dispose](): void {
    this.#inflater[Symbol.dispose]();
  }
}

function describe(
  header: PngHeader,
  kept: ReadonlyMap<string, Uint8Array>,
): Partial<PngFile> & Pick<PngFile, "isSrgb" | "furtherFrames"> {
  const [palette, transparency, exif] = ["PLTE", "tRNS", "eXIf"].map((type) => kept.get(type));
  if (header.colorType === 3 && !palette?.length) throw new EngineFailure("damaged", "a PNG without its palette");
  const [gamma, profile, primaries] = [
    readGamma(kept.get("gAMA")),
    readProfile(kept.get("iCCP")),
    readPrimaries(kept.get("cHRM")),
  ];
  const seen = exif && readExif(exif);
  return {
    isSrgb: kept.has("sRGB"),
    furtherFrames: furtherFramesIn(kept.get("acTL")),
    ...(palette ? { palette: palette.subarray(0, Math.min(768, palette.length - (palette.length % 3))) } : {}),
    ...(transparency ? { transparency } : {}),
    ...(gamma ? { gamma } : {}),
    ...(profile ? { profile } : {}),
    ...(primaries ? { primaries } : {}),
    ...densityOf(kept),
    ...(seen ? { seen } : {}),
  };
}

/** Reads the number of frames (clause 11.3.6.1). */
const furtherFramesIn = (data: Uint8Array | undefined): number =>
  data?.length === 8 ? Math.max(0, viewOf(data).getUint32(0) - 1) : 0;

function densityOf(kept: ReadonlyMap<string, Uint8Array>): { density?: Density } {
  const exif = kept.get("eXIf");
  const density = readDensity(kept.get("pHYs")) ?? (exif && readExif(exif)?.density);
  return density ? { density } : {};
}

/** Returns the resolution, stored in dots per meter, or only the pixel aspect ratio (clause 11.3.4.3). */
function readDensity(data: Uint8Array | undefined): Density | undefined {
  if (data?.length !== 9) return undefined;
  const [x, y] = [viewOf(data).getUint32(0), viewOf(data).getUint32(4)];
  if (data[8] === 1) return saneDensity(x * METERS_PER_INCH, y * METERS_PER_INCH);
  return densityOfAspect(x, y);
}

/**
 * Returns the display gamma. The file stores the image gamma, which is its inverse, times 100,000 (clause 11.3.2.2).
 */
function readGamma(data: Uint8Array | undefined): number | undefined {
  const value = data?.length === 4 ? viewOf(data).getUint32(0) : 0;
  return value > 0 ? 100_000 / value : undefined;
}

/** Returns the primaries, which the file stores times 100,000 (clause 11.3.2.1). */
function readPrimaries(data: Uint8Array | undefined): Primaries | undefined {
  if (data?.length !== 32) return undefined;
  const pair = (index: number) =>
    [viewOf(data).getUint32(index * 8) / 100_000, viewOf(data).getUint32(index * 8 + 4) / 100_000] as const;
  return { white: pair(0), red: pair(1), green: pair(2), blue: pair(3) };
}

/** Returns the profile: a zlib stream after a name and the compression method (clause 11.3.2.3). */
function readProfile(data: Uint8Array | undefined): Uint8Array | undefined {
  const nameEnd = data?.indexOf(0) ?? -1;
  if (!data || nameEnd < 0 || data[nameEnd + 1] !== 0) return undefined;
  return inflatedAtOnce(data.subarray(nameEnd + 2), MAX_PROFILE_BYTES);
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

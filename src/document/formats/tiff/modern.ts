// Decodes strips and tiles of compression methods that came after TIFF 6.0: Zstandard (RFC 8878) and WebP. Both decode a
// segment as a whole.
import { decompress } from "fzstd";
import { EngineFailure } from "../../contract/failure.ts";
import { checkPixels, decodeWebp } from "../../engines/codecs/decode.ts";
import { readWebpFile } from "../webp/file.ts";

const RGBA = 4;

/** The size of a decoded segment. */
interface SegmentSize {
  readonly width: number;
  readonly rows: number;
  readonly samples: number;
  readonly bytes: number;
}

/**
 * Yields the segment. Data beyond its size end the decoding.
 * @throws EngineFailure `too-large` if the segment does not fit into memory, `damaged`
 */
export function* unpackedZstandard(data: Uint8Array, { bytes }: SegmentSize, holdBytes: number): Generator<Uint8Array> {
  if (bytes > holdBytes) throw new EngineFailure("too-large", `a segment of ${bytes} bytes`);
  try {
    yield decompress(data, new Uint8Array(bytes));
  } catch (error) {
    throw new EngineFailure("damaged", "Zstandard data of a TIFF", { cause: error });
  }
}

/** Yields the segment. @throws EngineFailure `too-large` if the segment does not fit into memory, `damaged` */
export async function* unpackedWebp(
  data: Uint8Array,
  { width, rows, samples }: SegmentSize,
  holdBytes: number,
): AsyncGenerator<Uint8Array> {
  const { frame, picture } = readWebpFile(data);
  if (frame.width !== width || frame.height > rows || (samples !== 3 && samples !== RGBA)) {
    throw new EngineFailure("damaged", `a WebP of ${frame.width} x ${frame.height} pixels in a TIFF`);
  }
  checkPixels(frame, holdBytes);
  const { rgba } = await decodeWebp(picture);
  yield samples === RGBA ? rgba : rgba.filter((_, at) => at % RGBA < 3);
}

// Reads the primary picture of a HEIC or AVIF file, or the first frame of a sequence, as a PDF image.

import { EngineFailure } from "../../contract/failure.ts";
import { detectMediaType } from "../../contract/media-type.ts";
import { checkPixels } from "../../engines/codecs/decode.ts";
import { decodeAvif, decodeHeic } from "../../engines/codecs/decode-heif.ts";
import { calibratedRgb, type Primaries } from "../to-pdf/calibrated.ts";
import { decodedImage } from "../to-pdf/decoded-picture.ts";
import { type ColorSpace, type ImagePage, type Orientation, RGB } from "../to-pdf/image-page.ts";
import { pageSize } from "../to-pdf/page-size.ts";
import { profiledSpace } from "../to-pdf/profiled-space.ts";
import { type HeifFile, readHeifFile } from "./file.ts";

/** Chromaticities by number (ITU-T H.273, table 2), other than sRGB's. */
const D65 = [0.3127, 0.329] as const;
const PRIMARIES: Readonly<Record<number, Primaries>> = {
  9: { white: D65, red: [0.708, 0.292], green: [0.17, 0.797], blue: [0.131, 0.046] },
  12: { white: D65, red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06] },
};
/** Orientations by counterclockwise quarter turns; and those with left and right swapped after the turn. */
const TURNED: readonly Orientation[] = [1, 8, 3, 6];
const TURNED_AND_SWAPPED: readonly Orientation[] = [2, 7, 4, 5];

/**
 * @param memoryBytes memory for the decoder and the pixels
 * @param isExact true if the samples must not change
 * @throws EngineFailure `damaged`, `too-large`, `too-complex`
 */
export async function readHeif(file: Uint8Array, memoryBytes: number, isExact: boolean): Promise<ImagePage> {
  const isAvif = detectMediaType(file.subarray(0, 256), "") === "image/avif";
  const facts = readHeifFile(file);
  if (!facts) throw new EngineFailure("damaged", "no picture in a HEIF file");
  checkPixels(facts, memoryBytes);
  if (!isAvif && facts.isOnlySequence) {
    const feature = "HEIC sequence without a still picture";
    throw new EngineFailure("unsupported", feature, { feature });
  }
  const pixels = await (isAvif ? decodeAvif(file) : decodeHeic(file));
  const { width, height } = pixels;
  // libheif returns the picture upright.
  const seen = { width, height, orientation: isAvif ? orientationOf(facts) : 1 } as const;
  pageSize(seen);
  const image = await decodedImage({ ...pixels, colorSpace: spaceOf(facts), isExact });
  const { furtherFrames } = facts;
  return { ...seen, parts: [{ x: 0, y: 0, image }], ...(furtherFrames > 0 && { furtherFrames }) };
}

function orientationOf({ turns, mirroring }: HeifFile): Orientation {
  if (!mirroring) return TURNED[turns]!;
  // Swapping top and bottom is swapping left and right after half a turn.
  return TURNED_AND_SWAPPED[mirroring === "across" ? turns : (turns + 2) % 4]!;
}

function spaceOf({ profile, nclx }: HeifFile): ColorSpace {
  if (profile) return profiledSpace(profile, 3);
  const primaries = nclx && PRIMARIES[nclx.primaries];
  return primaries ? calibratedRgb(undefined, primaries) : RGB;
}

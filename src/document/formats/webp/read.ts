// Reads a WebP, or the first frame of an animated one, as a PDF image.
import type { Input } from "../../contract/operation.ts";
import { checkPixels, decodeWebp } from "../../engines/codecs/decode.ts";
import { readExif } from "../exif/exif.ts";
import { decodedImage } from "../to-pdf/decoded-picture.ts";
import type { ImagePage } from "../to-pdf/image-page.ts";
import { pageSize } from "../to-pdf/page-size.ts";
import { profiledSpace } from "../to-pdf/profiled-space.ts";
import { readWebpFile } from "./file.ts";

/**
 * @param memoryBytes memory for the decoder and the pixels
 * @param isExact true if the samples must not change
 * @throws EngineFailure `damaged`, `too-large`, `too-complex`
 */
export async function readWebp(input: Input, memoryBytes: number, isExact: boolean): Promise<ImagePage> {
  const file = readWebpFile(await input.bytes());
  const { width, height, left, top, frame, furtherFrames } = file;
  checkPixels(frame, memoryBytes);
  const exif = file.exif && readExif(withoutPrefix(file.exif));
  const seen = { width, height, orientation: exif?.orientation ?? 1, ...(exif?.density && { density: exif.density }) };
  pageSize(seen);
  const image = await decodedImage({
    ...(await decodeWebp(file.picture)),
    colorSpace: profiledSpace(file.profile, 3),
    isExact: isExact || file.isLossless,
  });
  return { ...seen, parts: [{ x: left, y: top, image }], ...(furtherFrames > 0 && { furtherFrames }) };
}

/** Some programs write the prefix of EXIF in JPEG files. */
const withoutPrefix = (exif: Uint8Array): Uint8Array =>
  String.fromCharCode(...exif.subarray(0, 6)) === "Exif\0\0" ? exif.subarray(6) : exif;

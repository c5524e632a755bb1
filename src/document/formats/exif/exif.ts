// Reads orientation and resolution from a directory of TIFF or EXIF, which have the same format.

import { Directory, openTiff } from "../tiff/fields.ts";
import type { Density, Orientation } from "../to-pdf/image-page.ts";
import { saneDensity } from "../to-pdf/page-size.ts";

const X_RESOLUTION = 282;
const Y_RESOLUTION = 283;
const ORIENTATION = 274;
const RESOLUTION_UNIT = 296;
/**
 * Default unit (TIFF 6.0 section 8). Unit 1 has no absolute size. The table contains the factors that convert units 2
 * (inch) and 3 (centimeter) to dots per inch.
 */
const INCH = 2;
const DPI_PER_UNIT: Readonly<Record<number, number>> = { 2: 1, 3: 2.54 };

export interface ExifInfo {
  readonly orientation: Orientation;
  readonly density?: Density;
}

export function readInfo(directory: Directory): ExifInfo {
  const dpi = DPI_PER_UNIT[directory.number(RESOLUTION_UNIT) ?? INCH];
  const [x, y] = [X_RESOLUTION, Y_RESOLUTION].map((tag) => (directory.number(tag) ?? 0) * (dpi ?? 0));
  const density = saneDensity(x!, y!);
  const orientation = directory.number(ORIENTATION) ?? 1;
  const isKnown = Number.isInteger(orientation) && orientation >= 1 && orientation <= 8;
  return { orientation: isKnown ? (orientation as Orientation) : 1, ...(density ? { density } : {}) };
}

/** @param bytes data from the byte order mark on; in a JPEG, the mark follows "Exif\0\0" */
export function readExif(bytes: Uint8Array): ExifInfo | undefined {
  const file = openTiff(bytes);
  const directory = file && Directory.read(file, file.firstDirectory);
  return directory && readInfo(directory);
}

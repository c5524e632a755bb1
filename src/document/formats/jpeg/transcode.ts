// Recodes a JPEG with the same coefficients: with optimal Huffman tables, progressive scans if they are smaller, and
// without segments that only cameras and editors read.

import { ImageKernel } from "../image-kernel.ts";
import { coefficientBytes, JpegReader } from "./entropy/coefficients.ts";
import { concatenate, JpegScans } from "./entropy/scans.ts";
import { type JpegFile, type JpegFrame, UnreadableJpeg } from "./file.ts";
import { END_OF_IMAGE, MARKERS, START_OF_IMAGE } from "./markers.ts";
import { ascii, segment } from "./write-header.ts";

const { SOF0, SOF1, SOF2, DQT, APP0, APP14 } = MARKERS;

/**
 * Keeps every coefficient, and the conversion of components to colors.
 * @param memoryBytes maximum memory for the conversion
 * @returns undefined if the file is invalid or too large, or the result would not be smaller
 */
export function transcodeJpeg(bytes: Uint8Array, memoryBytes: number): Uint8Array | undefined {
  using kernel = new ImageKernel();
  try {
    const reader = new JpegReader(kernel, bytes);
    // The file is in memory twice: as read and as written.
    if (coefficientBytes(reader.grid) + 2 * bytes.length > memoryBytes) return undefined;
    reader.readAll();
    const best = reader.file.ended ? bestScans(kernel, reader) : undefined;
    if (!best) return undefined;
    const file = concatenate([...headOf(reader.file, reader.frame, best.progressive), best.scans, END_OF_IMAGE]);
    return file.length < bytes.length ? file : undefined;
  } catch (error) {
    if (error instanceof UnreadableJpeg || error instanceof WebAssembly.RuntimeError) return undefined;
    throw error;
  }
}

function bestScans(kernel: ImageKernel, { frame }: JpegReader) {
  const tableOf = (index: number) => (index > 0 && frame.components.length === 3 ? 1 : 0);
  const scans = new JpegScans(
    kernel,
    frame.components.map(({ id }, index) => ({ id, table: tableOf(index) })),
  );
  const sequential = scans.sequential();
  const progressive = sequential && scans.progressive();
  if (!sequential || !progressive) return undefined;
  return progressive.length < sequential.length
    ? { progressive: true, scans: progressive }
    : { progressive: false, scans: sequential };
}

/** Yields the segments before the scans. JFIF and Adobe's marker are kept, because they define the colors. */
export function* headOf(
  file: Pick<JpegFile, "quantizers" | "hasJfif" | "adobeTransform">,
  frame: Omit<JpegFrame, "progressive">,
  progressive: boolean,
): Generator<Uint8Array> {
  yield START_OF_IMAGE;
  if (file.hasJfif) yield segment(APP0, ascii("JFIF\0"), [1, 1, 0, 0, 1, 0, 1, 0, 0]);
  if (file.adobeTransform !== undefined) {
    yield segment(APP14, ascii("Adobe"), [0, 100, 0, 0, 0, 0, file.adobeTransform]);
  }
  let fine = false;
  for (const quantizer of new Set(frame.components.map((component) => component.quantizer))) {
    const steps = file.quantizers[quantizer]!;
    const large = steps.some((step) => step > 255);
    fine ||= large;
    const values = large ? Array.from(steps).flatMap((step) => [step >> 8, step & 255]) : steps;
    yield segment(DQT, [(large ? 16 : 0) | quantizer], values);
  }
  yield frameSegment(frame, progressive ? SOF2 : fine ? SOF1 : SOF0);
}

function frameSegment({ width, height, components }: Omit<JpegFrame, "progressive">, marker: number): Uint8Array {
  return segment(
    marker,
    [8, height >> 8, height & 255, width >> 8, width & 255, components.length],
    components.flatMap(({ id, across, down, quantizer }) => [id, (across << 4) | down, quantizer]),
  );
}

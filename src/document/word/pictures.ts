// Draws the pictures of a document: parts of its pages, as they are shown.
import type { Box } from "../content/matrix.ts";
import type { Raster } from "../contract/raster.ts";
import { CHANNELS, samplesOf } from "../contract/raster.ts";
import type { MupdfPage } from "../engines/mupdf/page.ts";
import type { WordImage } from "../formats/docx/write.ts";
import { encodeJpeg } from "../formats/jpeg/write.ts";
import { encodePng } from "../formats/png/write.ts";

export interface PageBox {
  /** Identifier of its relationship. */
  readonly id: string;
  /** Page number, from 1. */
  readonly page: number;
  /** In points from the lower left corner. */
  readonly box: Box;
}

const USUAL_DPI = 220;
const MAX_PIXELS = 4_000_000;
const POINTS_PER_INCH = 72;
const QUALITY = 88;
/** Number of colors up to which a picture is a drawing, and of its pixels that are compared. */
const DRAWING_COLORS = 512;
const COMPARED = 20_000;

/** Draws a part of a page as a file: a photograph as a JPEG, a drawing as a PNG. */
export function drawnPicture(
  page: MupdfPage,
  { id, box: [left, bottom, right, top] }: PageBox,
  signal: AbortSignal,
): WordImage {
  const [width, height] = [right - left, top - bottom];
  const most = Math.sqrt(MAX_PIXELS / (width * height)) * POINTS_PER_INCH;
  const dpi = Math.max(12, Math.min(USUAL_DPI, most));
  const scale = dpi / POINTS_PER_INCH;
  const size = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  const place = { left: Math.round(left * scale), top: Math.round((page.height - top) * scale) };
  const view = { ...size, ...place, matrix: [scale, 0, 0, scale, 0, 0] as const };
  const drawn = page.raster({ colorModel: "rgb", dpi: Math.round(dpi), view, signal });
  const samples = samplesOf(drawn);
  const raster: Raster = { ...drawn, bands: () => [{ top: 0, rows: size.height, samples: samples.slice() }] };
  const isDrawing = hasFewColors(samples);
  const chunks = isDrawing ? encodePng(raster) : encodeJpeg(raster, { quality: QUALITY });
  return { id, extension: isDrawing ? "png" : "jpg", bytes: joined(chunks) };
}

function hasFewColors(samples: Uint8Array): boolean {
  const channels = CHANNELS.rgb;
  const step = channels * Math.max(1, Math.floor(samples.length / channels / COMPARED));
  const colors = new Set<number>();
  for (let at = 0; at + 2 < samples.length; at += step) {
    colors.add((samples[at]! << 16) | (samples[at + 1]! << 8) | samples[at + 2]!);
    if (colors.size > DRAWING_COLORS) return false;
  }
  return true;
}

function joined(chunks: Iterable<Uint8Array>): Uint8Array {
  const copies = Array.from(chunks, (chunk) => chunk.slice());
  const bytes = new Uint8Array(copies.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const copy of copies) {
    bytes.set(copy, at);
    at += copy.length;
  }
  return bytes;
}

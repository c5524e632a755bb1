// Flattens documents for tests. Measures the visible distance between result and original in two renderers.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { FlatteningQuality } from "../../src/document/flattening/settings.ts";
import { flattenTransparency } from "../../src/operations/container-only/flatten-transparency.ts";
import { CONTEXT, outputsOf } from "./operations.ts";
import { type Picture, parsePnm, perceptualDistance, popplerPage, withFile } from "./pictures.ts";
import { readOnce } from "./read-once.ts";

const run = promisify(execFile);

export interface Flattened {
  readonly bytes: Uint8Array;
  /** For each page, the share of its area that became images. Empty if nothing was flattened. */
  readonly coverage: readonly number[];
}

export async function flattened(pdf: Uint8Array, quality: FlatteningQuality = "medium"): Promise<Flattened> {
  let coverage: readonly number[] = [];
  const log = (_: string, details?: Record<string, unknown>) => {
    coverage = (details?.coverage as number[]) ?? [];
  };
  const context = { ...CONTEXT, heapLimitBytes: 1024 * 2 ** 20, log };
  const [bytes] = await outputsOf(flattenTransparency, [pdf], { quality }, context);
  return { bytes: bytes!, coverage };
}

/** Returns the image of one page in RGB, rendered by MuPDF's own program. */
export async function mutoolPage(pdf: Uint8Array, page: number, dpi: number): Promise<Picture> {
  return withFile(pdf, "document.pdf", async (file) => {
    const options = ["draw", "-q", "-F", "ppm", "-r", String(dpi), "-o", "-", file, String(page)];
    const { stdout } = await run("mutool", options, { encoding: "buffer", maxBuffer: 2 ** 30 });
    return parsePnm(stdout);
  });
}

export interface Distances {
  readonly poppler: number;
  readonly mutool: number;
  /** Distance between the two renderers for the original page. No result can be expected to have a smaller distance. */
  readonly disagreement: number;
}

/** Returns the images of a page of an original document by both renderers, and their distance. */
const drawnOnce = readOnce(async (before: Uint8Array, page: number, dpi: number) => {
  const [poppler, mutool] = [await popplerPage(before, page, dpi), await mutoolPage(before, page, dpi)];
  return { poppler, mutool, disagreement: perceptualDistance(poppler, mutool) };
});

export async function distances(before: Uint8Array, after: Uint8Array, page: number, dpi: number): Promise<Distances> {
  const was = await drawnOnce(before, page, dpi);
  return {
    poppler: perceptualDistance(was.poppler, await popplerPage(after, page, dpi)),
    mutool: perceptualDistance(was.mutool, await mutoolPage(after, page, dpi)),
    disagreement: was.disagreement,
  };
}

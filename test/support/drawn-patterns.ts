// Renders the pages of pattern-pdfs.ts with MuPDF, in bands.
import type { ColorModel } from "../../src/document/contract/raster.ts";
import { MupdfDocument } from "../../src/document/engines/mupdf/document.ts";
import { acquireMupdf } from "../../src/document/engines/mupdf/instance/spare.ts";
import { MupdfPage } from "../../src/document/engines/mupdf/page.ts";
import { patternPdf } from "../fixtures/pattern-pdfs.ts";

export const DPI = 100;
/** A band size in bytes that is enough for a whole page. */
export const ONE_BAND = 2 ** 30;
export const { bytes, names } = patternPdf();

const limits = { heapLimitBytes: 256 * 2 ** 20 };
const document = MupdfDocument.open(await acquireMupdf(limits), bytes, limits);

interface Order {
  readonly colorModel?: ColorModel;
  readonly order?: "top-down" | "bottom-up";
}

/** Renders a page in bands of at most the given size in bytes. */
export function drawn(index: number, bandBytes: number, { colorModel = "rgb", order = "top-down" }: Order = {}) {
  document.engine.release((raw) => raw._wasm_empty_store());
  const page = new MupdfPage(document, index);
  const { width, height, bands } = page.raster({ colorModel, dpi: DPI, bandBytes });
  const channels = colorModel === "rgb" ? 3 : 4;
  const samples = new Uint8Array(width * height * channels);
  let count = 0;
  for (const band of bands(order)) {
    samples.set(band.samples.subarray(0, band.rows * width * channels), band.top * width * channels);
    count++;
  }
  page.close();
  return { width, height, samples, count };
}

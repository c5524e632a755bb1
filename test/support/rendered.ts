// Renders a page with MuPDF and checks the page for pure red.

import { MupdfDocument } from "../../src/document/engines/mupdf/document.ts";
import { Mupdf } from "../../src/document/engines/mupdf/instance/mupdf.ts";
import { MupdfPage } from "../../src/document/engines/mupdf/page.ts";

const LIMITS = { heapLimitBytes: 88 * 1024 * 1024 };
const DPI = 36;

/** Reports whether the first page contains pure red. */
export async function isRedDrawn(pdf: Uint8Array): Promise<boolean> {
  const document = MupdfDocument.open(await Mupdf.create(LIMITS), pdf, LIMITS);
  try {
    const page = new MupdfPage(document, 0);
    const { bands } = page.raster({ colorModel: "rgb", dpi: DPI });
    const samples = Buffer.concat(Array.from(bands(), ({ samples }) => Buffer.from(samples)));
    page.close();
    const isRed = (at: number) => samples[at]! > 200 && samples[at + 1]! < 50 && samples[at + 2]! < 50;
    return Array.from({ length: samples.length / 3 }, (_, index) => index * 3).some(isRed);
  } finally {
    document.close();
  }
}

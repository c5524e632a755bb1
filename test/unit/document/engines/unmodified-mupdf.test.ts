// Tests that our build of MuPDF draws the same pixels as the original package, or nearly the same in CMYK.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as original from "mupdf";
import { describe, expect, test } from "vitest";
import { MupdfDocument } from "../../../../src/document/engines/mupdf/document.ts";
import { Mupdf } from "../../../../src/document/engines/mupdf/instance/mupdf.ts";
import { MupdfPage } from "../../../../src/document/engines/mupdf/page.ts";
import { quartersPdf, squarePdf, textPdf } from "../../../fixtures/pdfs.ts";
import { corpusDir } from "../../../support/corpus.ts";

const LIMITS = { heapLimitBytes: 512 * 2 ** 20 };
/** Gray is missing, because we compute it from RGB. */
const MODELS = { rgb: original.ColorSpace.DeviceRGB, cmyk: original.ColorSpace.DeviceCMYK } as const;
type Model = keyof typeof MODELS;
/** Our build converts colors to CMYK more exactly (decision 99). */
const MOST_DIFFERENT: Readonly<Record<Model, number>> = { rgb: 0, cmyk: 5 };

interface Drawn {
  readonly width: number;
  readonly height: number;
  readonly samples: Buffer;
}

/** Draws the page at the pixel size of our drawing, because the original package rounds sizes differently. */
function drawnByThePackage(bytes: Uint8Array, { width, height }: Drawn, model: Model): Buffer {
  const document = original.Document.openDocument(bytes, "application/pdf");
  const page = document.loadPage(0);
  const [left, top, right, bottom] = page.getBounds();
  const [x, y] = [Math.fround(width / (right - left)), Math.fround(height / (bottom - top))];
  const pixmap = new original.Pixmap(MODELS[model], [0, 0, width, height], false);
  pixmap.clear(255);
  const device = new original.DrawDevice(original.Matrix.identity, pixmap);
  const list = page.toDisplayList(true);
  list.run(device, [x, 0, 0, y, -left * x, -top * y]);
  device.close();
  const samples = Buffer.from(pixmap.getPixels());
  for (const part of [device, list, pixmap, page, document]) part.destroy();
  return samples;
}

async function drawnByUs(bytes: Uint8Array, dpi: number, colorModel: Model): Promise<Drawn> {
  const document = MupdfDocument.open(await Mupdf.create(LIMITS), bytes, LIMITS);
  const page = new MupdfPage(document, 0);
  try {
    const raster = page.raster({ colorModel, dpi });
    const bands = Array.from(raster.bands(), ({ samples }) => Buffer.from(samples));
    return { width: raster.width, height: raster.height, samples: Buffer.concat(bands) };
  } finally {
    page.close();
    document.close();
  }
}

async function expectSamePixels(bytes: Uint8Array): Promise<void> {
  for (const [dpi, model] of [
    [72, "cmyk"],
    [150, "rgb"],
  ] as const) {
    const ours = await drawnByUs(bytes, dpi, model);
    const theirs = drawnByThePackage(bytes, ours, model);
    expect(ours.samples.length).toBe(theirs.length);
    const difference = ours.samples.reduce((most, sample, at) => Math.max(most, Math.abs(sample - theirs[at]!)), 0);
    expect(difference).toBeLessThanOrEqual(MOST_DIFFERENT[model]);
  }
}

describe("documents made here", () => {
  test.each([
    ["text", () => textPdf(1)],
    ["four colors", quartersPdf],
    ["a square", squarePdf],
  ])("%s", async (_, make) => expectSamePixels(await make()));
});

describe.skipIf(corpusDir === undefined)("documents of the corpus", () => {
  test.each([
    "hello-world.pdf",
    "right_to_left_01.pdf",
    "Seige_of_Vicksburg_Sample_OCR.pdf",
    "pattern_shading_type4_2.pdf",
  ])("%s", async (name) => expectSamePixels(readFileSync(join(corpusDir!, "pdf", name))));
});

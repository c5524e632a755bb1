// Pages painted with patterns are the same in one band and in many, and the same as another program's.
import { describe, expect, test } from "vitest";
import type { ColorModel } from "../../../../src/core/raster.ts";
import { MupdfDocument } from "../../../../src/engines/mupdf/document.ts";
import { MupdfPage } from "../../../../src/engines/mupdf/page.ts";
import { takeMupdf } from "../../../../src/engines/mupdf/spare.ts";
import { patternPdf } from "../../../fixtures/pattern-pdfs.ts";
import { perceptualDistance, popplerPage } from "../../../support/pictures.ts";

const DPI = 100;
const ONE_BAND = 2 ** 30;
const { bytes, names } = patternPdf();

const limits = { heapLimitBytes: 256 * 2 ** 20 };
const document = MupdfDocument.open(await takeMupdf(limits), bytes, limits);

interface Order {
  readonly colorModel?: ColorModel;
  readonly order?: "top-down" | "bottom-up";
}

function drawn(index: number, bandBytes: number, { colorModel = "rgb", order = "top-down" }: Order = {}) {
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

/** Of samples that differ by more than the edge of something may. */
function difference(one: Uint8Array, other: Uint8Array, tolerance: number): number {
  expect(one.length).toBe(other.length);
  let count = 0;
  for (let at = 0; at < one.length; at++) if (Math.abs(one[at]! - other[at]!) > tolerance) count++;
  return count / one.length;
}

describe.each(names.map((name, index) => ({ name, index })))("$name", ({ index }) => {
  const whole = drawn(index, ONE_BAND);
  const rows = (count: number) => count * whole.width * 3;

  test.each([
    [100, "top-down"],
    [23, "top-down"],
    [23, "bottom-up"],
  ] as const)("in bands of %i rows, %s", (height, order) => {
    const banded = drawn(index, rows(height), { order });
    expect(banded.count).toBe(Math.ceil(whole.height / height));
    // Where bands meet a clipping path may be filtered otherwise.
    expect(difference(banded.samples, whole.samples, 32)).toBe(0);
  });

  test.each(["cmyk", "rgba"] as const)("in %s", (colorModel) => {
    const one = drawn(index, ONE_BAND, { colorModel });
    expect(difference(drawn(index, rows(23), { colorModel }).samples, one.samples, 40)).toBeLessThan(1e-3);
  });
});

// Of small tiles the two programs round the places to other pixels.
test.each([
  "large tiles",
  "one tile of the page's size",
  "steps larger than the tile",
  "large overlapping tiles",
  "tiles at fractions of pixels",
  "strokes",
  "text",
  "in forms",
  "in one form at two places",
  "transparent tiles",
])("%s, in bands, as poppler draws it", async (name) => {
  const index = names.indexOf(name);
  const { width, height, samples } = drawn(index, 23 * 3 * 417);
  const expected = await popplerPage(bytes, index + 1, DPI);
  expect(perceptualDistance({ width, height, channels: 3, samples }, expected)).toBeLessThan(15);
});

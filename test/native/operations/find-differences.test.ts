// Looks at the PDF that shows differences with poppler.
// Contract: docs/api.md#compared-pdf
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { findDifferences } from "../../../src/operations/find-differences.ts";
import { plainPdf } from "../../fixtures/pdf-builder.ts";
import { HOSTILE_PDFS } from "../../support/hostile-pdfs.ts";
import { outputsOf, reasonOf } from "../../support/operations.ts";
import { withFile } from "../../support/pdf-readers.ts";

/** Draws the first page at 72 dpi. */
function draw(pdf: Uint8Array) {
  const ppm = withFile(pdf, (path) => execFileSync("pdftoppm", ["-r", "72", "-f", "1", "-l", "1", path]));
  const [header, width, height] = /^P6\n(\d+) (\d+)\n255\n/.exec(ppm.toString("latin1", 0, 40))!;
  const samples = ppm.subarray(header!.length);
  const pixels = (x0: number, x1: number) => {
    const counts = { red: 0, blue: 0, orange: 0 };
    for (let y = 0; y < Number(height); y++) {
      for (let x = x0; x < x1; x++) {
        const [red, green, blue] = samples.subarray((y * Number(width) + x) * 3) as unknown as [number, number, number];
        if (red > 230 && Math.abs(green - 190) < 20 && Math.abs(blue - 170) < 20) counts.red++;
        if (blue > 230 && Math.abs(green - 215) < 20 && Math.abs(red - 170) < 20) counts.blue++;
        if (red > 230 && Math.abs(green - 140) < 30 && blue < 60) counts.orange++;
      }
    }
    return counts;
  };
  return { width: Number(width), height: Number(height), pixels };
}

const show = async (original: Uint8Array, compared: Uint8Array) =>
  (await outputsOf(findDifferences, [original, compared], { outputType: "pdf", dpi: 72 }))[0]!;

test("removed words are red at the left, added words blue at the right", async () => {
  const { width, height, pixels } = draw(await show(plainPdf("Pay in 30 days"), plainPdf("Pay in 14 days")));
  expect([width, height]).toEqual([604, 200]);
  const [left, right] = [pixels(0, 300), pixels(304, 604)];
  expect([left.red > 200, left.blue, left.orange]).toEqual([true, 0, 0]);
  expect([right.blue > 200, right.red, right.orange]).toEqual([true, 0, 0]);
});

test.each(HOSTILE_PDFS.filter(({ name }) => /glyph|mesh/.test(name)))("$name ends", async ({ bytes }) => {
  const params = { outputType: "json", dpi: 36 } as const;
  expect(await reasonOf(() => outputsOf(findDifferences, [bytes(), plainPdf("a")], params))).toMatch(
    /^(?:none|damaged|not-a-pdf|too-complex|too-large|password-protected)$/,
  );
});

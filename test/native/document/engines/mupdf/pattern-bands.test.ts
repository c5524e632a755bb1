// Tests that pages painted with patterns look the same in another program.
import { expect, test } from "vitest";
import { bytes, DPI, drawn, names } from "../../../../support/drawn-patterns.ts";
import { perceptualDistance, popplerPage } from "../../../../support/pictures.ts";

// No small tiles, because the two programs round their positions to different pixels.
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

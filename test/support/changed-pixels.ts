// Finds what an operation changed on a page: draws the page before and after with two engines, and compares the pixels.
import { spawnSync } from "node:child_process";
import { expect } from "vitest";
import { withFile } from "./pdf-readers.ts";
import { type Picture, parsePnm } from "./pictures.ts";

const DPI = 144;

/** Returns a page as each engine draws it. Both engines report errors in some of the documents, but draw them. */
export const drawn = (pdf: Uint8Array, page: number): Readonly<Record<Engine, Picture>> =>
  withFile(pdf, (path) => {
    const run = (program: string, ...args: string[]) =>
      parsePnm(spawnSync(program, args, { maxBuffer: 2 ** 30 }).stdout);
    const [dpi, at] = [String(DPI), String(page)];
    return {
      poppler: run("pdftoppm", "-cropbox", "-r", dpi, "-f", at, "-l", at, path),
      mupdf: run("mutool", "draw", "-q", "-F", "ppm", "-r", dpi, "-o", "-", path, at),
    };
  });
export type Engine = "poppler" | "mupdf";

/**
 * Returns left, bottom, right and top of the changed pixels, in points from the lower left corner; undefined if no
 * pixel changed.
 */
export function changed(before: Picture, after: Picture): readonly number[] | undefined {
  expect([after.width, after.height]).toEqual([before.width, before.height]);
  const { width, height } = before;
  const stride = 3 * width;
  let [left, bottom, right, top] = [width, height, 0, 0];
  for (let row = 0; row < height; row++) {
    const [one, other] = [before, after].map(({ samples }) => samples.subarray(row * stride, (row + 1) * stride));
    // A picture has millions of pixels, and nearly all rows are equal.
    if (Buffer.compare(one!, other!) === 0) continue;
    const first = one!.findIndex((sample, at) => sample !== other![at]);
    const last = one!.findLastIndex((sample, at) => sample !== other![at]);
    const y = height - 1 - row;
    left = Math.min(left, Math.floor(first / 3));
    right = Math.max(right, Math.floor(last / 3) + 1);
    bottom = Math.min(bottom, y);
    top = Math.max(top, y + 1);
  }
  return right === 0 ? undefined : [left, bottom, right, top].map((pixels) => (pixels * 72) / DPI);
}

/** @param box the expected box, by engine; undefined if nothing may change */
export function expectChange(
  before: Uint8Array,
  after: Uint8Array,
  box: readonly number[] | undefined,
  page = 1,
  engines: readonly Engine[] = ["poppler", "mupdf"],
): void {
  const [ours, theirs] = [drawn(after, page), drawn(before, page)];
  for (const engine of engines) {
    const found = changed(theirs[engine], ours[engine]);
    const isNear = box ? found?.every((value, side) => Math.abs(value - box[side]!) <= 0.5) : found === undefined;
    expect(isNear, `${engine} sees a change at ${found} instead of ${box}`).toBe(true);
  }
}

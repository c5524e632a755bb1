// Tests the interpretation of IIIF Image API URLs, for pages of all sizes.
// Contract: docs/api.md#iiif
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../../src/document/contract/limits.ts";
import { scaleFactors, wholeSizes } from "../../../../src/service/views/deep-zoom.ts";
import { canonicalPath, parseImagePath } from "../../../../src/service/views/iiif/iiif-path.ts";
import { fullSize, resolvePageImage } from "../../../../src/service/views/image-request.ts";

const A0 = { width: 2383.94, height: 3370.39 };
const LETTER = { width: 612, height: 792 };
const STRIP = { width: 14_400, height: 3 };

const pictureFor = (path: string, page = LETTER) => resolvePageImage(parseImagePath(path.split("/")), page);
const sizeFor = (path: string, page = LETTER) => {
  const { width, height } = pictureFor(path, page).picture.size;
  return [width, height];
};

describe("the full size", () => {
  test.each([
    [LETTER, [2550, 3300]],
    [A0, [9933, 14_043]],
    [STRIP, [60_000, 13]],
    [{ width: 20_000, height: 10_000 }, [65_535, 32_768]],
    [{ width: 0.1, height: 0.1 }, [1, 1]],
  ] as const)("of %o is %o", (page, size) => expect(Object.values(fullSize(page))).toEqual(size));
});

describe("the largest picture", () => {
  test.each([LETTER, A0, STRIP])("of %o is within the limits, in the page's proportions", (page) => {
    const [width, height] = sizeFor("full/max/0/default.jpg", page) as [number, number];
    expect(Math.max(width, height)).toBeLessThanOrEqual(LIMITS.pageImageSidePixels);
    expect(width * height).toBeLessThanOrEqual(LIMITS.pageImagePixels);
    const full = fullSize(page);
    expect(Math.abs(width / full.width - height / full.height)).toBeLessThan(0.1);
  });

  test("is the region unless ^ enlarges it, to 2400 dpi at most", () => {
    expect(sizeFor("0,0,100,200/max/0/default.png")).toEqual([100, 200]);
    expect(sizeFor("0,0,100,200/^max/0/default.png")).toEqual([800, 1600]);
    expect(pictureFor("0,0,100,200/^max/0/default.png").dpi).toBe(2400);
    const [width, height] = sizeFor("full/^max/0/default.png") as [number, number];
    expect(width * height).toBeLessThanOrEqual(LIMITS.pageImagePixels);
    expect(width * height).toBeGreaterThan(0.99 * LIMITS.pageImagePixels);
  });
});

describe("hostile numbers", () => {
  test.each([
    "999999999,0,1,1/max",
    "0,0,999999999,1/999999999,",
    "full/^999999999,1",
    "full/^pct:999999999",
    "pct:999999999,0,1,1/max",
    "pct:0,0,0.00001,0.00001/max",
    "0,0,1,1/^9,",
    "full/pct:0.0001",
    "1e3,0,1,1/max",
    "0x1,0,1,1/max",
    "full/^!0,5",
    "full/!,5",
    "full/1,2,3",
  ])("%s is refused", (path) => {
    expect(() => pictureFor(`${path}/0/default.jpg`)).toThrow("is not within the acceptable range for");
  });

  test.each(["full/max/0/default", "full/max/0", ""])("%s lacks a part", (path) => {
    expect(() => pictureFor(path)).toThrow("is not within the acceptable range for");
  });

  test("a thin box has at least one pixel", () => {
    expect(sizeFor("full/!1,1/0/default.png", STRIP)).toEqual([1, 1]);
  });
});

test("tiles and sizes of the information are accepted, and are their own canonical form", () => {
  const full = fullSize(LETTER);
  for (const { width, height } of wholeSizes(full)) {
    expect(sizeFor(`full/${width},${height}/0/default.jpg`)).toEqual([width, height]);
  }
  const [last] = scaleFactors(full).slice(-1);
  const tile = parseImagePath(
    `0,0,${full.width},${full.height}/${Math.ceil(full.width / last!)},/0/default.jpg`.split("/"),
  );
  expect(canonicalPath(resolvePageImage(tile, LETTER), "default", tile.size)).toBe("full/319,413/0/default.jpg");
  expect(wholeSizes(fullSize(A0)).at(-1)).toEqual({ width: 4967, height: 7022 });
});

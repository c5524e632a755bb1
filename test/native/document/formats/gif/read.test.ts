// Tests GIF to PDF with the files of netpbm and of this project: poppler and MuPDF must draw the same pixels.
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { pattern, type TestSamples } from "../../../../fixtures/pictures.ts";
import { reasonOf } from "../../../../support/operations.ts";
import { expectPixels, pageSizes, pdfOf } from "../../../../support/picture-pdfs.ts";

/** Returns the pattern in the given number of colors, of which the first is black. */
function picture(colors: number, width = 41, height = 29): TestSamples {
  const gray = pattern(1, width, height).values.map((value) => value % colors);
  return {
    width,
    height,
    channels: 3,
    values: gray.flatMap((index) => [index, (index * 37) & 255, (index * 91) & 255]),
  };
}

function gif({ width, height, values }: TestSamples, ...options: string[]): Buffer {
  const ppm = Buffer.concat([Buffer.from(`P6 ${width} ${height} 255\n`), Buffer.from(values)]);
  return execFileSync("ppmtogif", ["-quiet", ...options], { input: ppm });
}

describe("pixels stay", () => {
  const sizes = [
    [41, 29],
    [1, 1],
    [7, 1],
    [1, 9],
    [700, 611],
  ] as const;
  test.each(sizes.flatMap(([width, height]) => [2, 4, 16, 256].map((colors) => ({ width, height, colors }))))(
    "%o",
    async ({ width, height, colors }) => {
      const wanted = picture(colors, width, height);
      const isTiny = Math.min(width, height) < 3;
      for (const options of [[], ["-interlace"], ["-nolzw"]]) {
        const pdf = await pdfOf(gif(wanted, ...options));
        if (!isTiny) await expectPixels(pdf, wanted);
      }
    },
  );

  test("a transparent color shows the page", async () => {
    const wanted = picture(4);
    const values = wanted.values.map((value, at) =>
      wanted.values.slice(at - (at % 3), at - (at % 3) + 3).every((one) => one === 0) ? 255 : value,
    );
    await expectPixels(await pdfOf(gif(wanted, "-transparent=black")), { ...wanted, values });
  });
});

/** Returns a GIF with a screen of 5 by 4, a global table of red and green, and the given blocks. */
const screen = (...parts: readonly (readonly number[])[]) =>
  Buffer.from([...Buffer.from("GIF89a"), 5, 0, 4, 0, 0x80, 0, 0, 255, 0, 0, 0, 255, 0, ...parts.flat()]);
const image = (left: number, top: number, width: number, height: number, ...data: number[]) => [
  ...[0x2c, left, 0, top, 0, width, 0, height, 0, 0, 2],
  ...(data.length > 0 ? [data.length, ...data, 0] : []),
];
/** The codes clear, 0, 1, 1, 0, end, of three bits each. */
const FOUR = [0b01000100, 0b00000010, 0b101] as const;
const COMMENT = [0x21, 0xfe, 2, 65, 66, 0];
const control = (transparent?: number) => [0x21, 0xf9, 4, transparent === undefined ? 0 : 1, 0, 0, transparent ?? 0, 0];
const [RED, GREEN, WHITE] = [
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 255],
];
const rows = (...lines: string[]): TestSamples => ({
  ...{ width: 5, height: 4, channels: 3 },
  values: [...lines.join("")].flatMap((letter) => ({ 0: RED, 1: GREEN, ".": WHITE })[letter]!),
});

describe("the first image", () => {
  test.each([
    ["at its place", screen(image(1, 1, 2, 2, ...FOUR), [0x3b]), rows(".....", ".01..", ".10..", ".....")],
    [
      "of several",
      screen(COMMENT, image(0, 0, 2, 2, ...FOUR), control(), image(3, 3, 1, 1, 0x44)),
      rows("01...", "10...", ".....", "....."),
    ],
    [
      "with a transparent color",
      screen(control(1), image(1, 1, 2, 2, ...FOUR)),
      rows(".....", ".0...", "..0..", "....."),
    ],
    ["cut off", screen(image(0, 0, 5, 4, ...FOUR)), rows("01100", "00000", "00000", "00000")],
  ])("%s", async (_, file, wanted) => expectPixels(await pdfOf(file), wanted));

  test("beyond its screen, which grows", async () => {
    expect(pageSizes(await pdfOf(screen(image(4, 0, 4, 1, ...FOUR))))).toEqual([[8, 4]]);
  });
});

test.each([
  ["nothing", screen()],
  ["a trailer", screen([0x3b])],
  ["only a comment", screen(COMMENT)],
  ["no pixels", screen(image(0, 0, 0, 4, ...FOUR))],
  ["no data", screen(image(0, 0, 2, 2))],
  ["symbols of 9 bits", screen([...image(0, 0, 2, 2).slice(0, -1), 9, 1, 1, 0])],
  ["half a descriptor", screen([0x2c, 0, 0, 0])],
])("a GIF with %s is damaged", async (_, file) => {
  expect(await reasonOf(() => pdfOf(file))).toBe("damaged");
});

test("an interlaced GIF needs memory for all its pixels", async () => {
  const large = screen([0x2c, 0, 0, 0, 0, 0, 0x40, 0, 0x40, 0x40, 2, FOUR.length, ...FOUR, 0]);
  expect(await reasonOf(() => pdfOf(large, { heapLimitBytes: 2 ** 20 }))).toBe("too-large");
});

// Tests POST /pdf with `downsample` for bilevel images in PostScript: their resolution is at most the requested one,
// and as close to it as for other input types.
// Contract: docs/api.md#pdf
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type BilevelPicture, bilevelPictures } from "../fixtures/postscript.ts";
import { privateClient, upload } from "../support/client.ts";
import { type Picture, perceptualDistance, popplerPage } from "../support/pictures.ts";

const folder = mkdtempSync(join(tmpdir(), "bilevel-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function converted(pictures: readonly BilevelPicture[], fields: Record<string, string>) {
  const file = upload(Buffer.from(bilevelPictures(pictures), "latin1"), "a.ps");
  const [made] = await privateClient().make("/pdf", { output: "made", file, ...fields });
  return { bytes: made!.bytes, pictures: picturesIn(made!.bytes) };
}

function picturesIn(pdf: Uint8Array) {
  const path = join(folder, "a.pdf");
  writeFileSync(path, pdf);
  const lines = execFileSync("pdfimages", ["-list", path], { encoding: "utf8" }).trim().split("\n").slice(2);
  return lines.map((line) => {
    const cells = line.trim().split(/\s+/);
    return { type: cells[2], bits: Number(cells[7]), dpi: [Number(cells.at(-4)), Number(cells.at(-3))] };
  });
}

const SOURCES = [72, 150, 300, 302, 350, 360, 400, 450, 600, 1200];
const square = (dpi: number): BilevelPicture => ({ width: dpi, height: dpi });

describe("pictures of one bit in PostScript", () => {
  test.each(["75", "150", "300", "600", undefined])("downsample %s: at most that, and no less", async (downsample) => {
    const { pictures } = await converted(SOURCES.map(square), downsample === undefined ? {} : { downsample });
    const most = Number(downsample ?? 300);
    expect(pictures.map(({ dpi }) => dpi)).toEqual(SOURCES.map((dpi) => [Math.min(dpi, most), Math.min(dpi, most)]));
    expect(pictures.every(({ bits }) => bits === 1)).toBe(true);
  });

  test("off leaves them as they are", async () => {
    const { pictures } = await converted(SOURCES.map(square), { downsample: "off" });
    expect(pictures.map(({ dpi }) => dpi[0])).toEqual(SOURCES);
  });

  test("lossless has the same resolution", async () => {
    const { pictures } = await converted([square(400), square(100)], { compression: "lossless", downsample: "150" });
    expect(pictures.map(({ dpi }) => dpi[0])).toEqual([150, 100]);
  });

  test("masks, rotated, slanted and unequal pictures, each side for itself", async () => {
    const { pictures } = await converted(
      [
        { width: 400, height: 400, isMask: true },
        { width: 400, height: 400, turn: 90 },
        { width: 400, height: 400, turn: 30 },
        { width: 600, height: 100 },
        { width: 100, height: 600, isMask: true, turn: 90 },
        { width: 120, height: 120, points: 20 },
      ],
      { downsample: "150" },
    );
    const expected = [
      [150, 150],
      [150, 150],
      [150, 150],
      [150, 100],
      [100, 150],
      [150, 150],
    ];
    for (const [index, { dpi }] of pictures.entries()) {
      expect(dpi[0], `picture ${index}`).toBeCloseTo(expected[index]![0]!, -0.7);
      expect(dpi[1], `picture ${index}`).toBeCloseTo(expected[index]![1]!, -0.7);
    }
    expect(pictures.map(({ type }) => type)).toEqual(["stencil", "image", "image", "image", "stencil", "image"]);
  });

  test("the page looks the same", async () => {
    const pictures = [square(400), { width: 400, height: 400, isMask: true, turn: 30 }, { width: 600, height: 100 }];
    const drawn = async (downsample: string): Promise<Picture> =>
      popplerPage((await converted(pictures, { downsample })).bytes, 1, 72);
    expect(perceptualDistance(await drawn("off"), await drawn("150"))).toBeLessThan(6);
  });
});

// Contract: docs/api.md#blank-pdf
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { type CreateBlankPdfParams, createBlankPdf } from "../../../src/operations/create-blank-pdf.ts";
import { outputsOf } from "../../support/operations.ts";
import { infoOf, picturesOf, qpdfComplaints, textOf, withFile } from "../../support/pdf-readers.ts";

async function create(params: CreateBlankPdfParams): Promise<Uint8Array> {
  const [pdf, ...others] = await outputsOf(createBlankPdf, [], params);
  expect(others).toEqual([]);
  expect(qpdfComplaints(pdf!)).toBe("");
  return pdf!;
}
/** Returns the different media boxes that MuPDF reads. */
const mediaBoxes = (pdf: Uint8Array) =>
  withFile(pdf, (path) => execFileSync("mutool", ["info", "-M", path], { encoding: "utf8" })).match(/\[.*\]/g);

const portrait = { pageCount: 1, pageOrientation: "portrait" } as const;

describe("pages have the size that is asked for", () => {
  test.each([
    ["letter", "612 x 792 pts (letter)", "792 x 612 pts (letter)"],
    ["legal", "612 x 1008 pts", "1008 x 612 pts"],
    ["ledger", "792 x 1224 pts", "1224 x 792 pts"],
    ["A3", "841.89 x 1190.55 pts (A3)", "1190.55 x 841.89 pts (A3)"],
    ["A4", "595.276 x 841.89 pts (A4)", "841.89 x 595.276 pts (A4)"],
    ["A5", "419.528 x 595.276 pts", "595.276 x 419.528 pts"],
  ] as const)("%s", async (pageSize, upright, turned) => {
    expect(infoOf(await create({ pageSize, ...portrait }))["Page size"]).toBe(upright);
    const landscape = infoOf(await create({ pageSize, ...portrait, pageOrientation: "landscape" }));
    expect([landscape["Page size"], landscape["Page rot"]]).toEqual([turned, "0"]);
  });

  test.each([
    [0.01, 14_400],
    [14_400, 0.01],
    [100.25, 7],
  ])("%d by %d points", async (customWidth, customHeight) => {
    const pdf = await create({ pageSize: "custom", pageCount: 1, customWidth, customHeight });
    expect(mediaBoxes(pdf)!.map((box) => box.match(/[\d.]+/g)!.map(Number))).toEqual([
      [0, 0, customWidth, customHeight],
    ]);
  });
});

test("a thousand pages are in a small file, in which every reader finds each", async () => {
  const pdf = await create({ pageSize: "A4", ...portrait, pageCount: 1000 });
  expect(infoOf(pdf).Pages).toBe("1000");
  expect(mediaBoxes(pdf)).toHaveLength(1);
  expect(pdf.length).toBeLessThan(20_000);
});

test("pages show nothing", async () => {
  const pdf = await create({ pageSize: "A5", ...portrait, pageCount: 2 });
  expect(textOf(pdf).map((text) => text.trim())).toEqual(["", ""]);
  for (const picture of picturesOf(pdf)) {
    const pixels = picture.subarray(picture.indexOf("255\n") + 4);
    expect(pixels.every((value) => value === 255)).toBe(true);
  }
});

// Tests behavior that only POST /jpg has (spec, "Image endpoints"; ITU-T T.81).
// Contract: docs/api.md#jpg
import { beforeAll, expect, test } from "vitest";
import { quartersPdf, textPdf } from "../fixtures/pdfs.ts";
import { privateClient, upload } from "../support/client.ts";
import { decode } from "../support/pictures.ts";

let pdf: Uint8Array;
beforeAll(async () => {
  pdf = await textPdf(1);
});
const make = async (fields: Record<string, string>, document = pdf) =>
  (await privateClient().make("/jpg", { file: upload(document), output: "page", resolution: "72", ...fields }))[0]!
    .bytes;

test("spec: jpeg_quality, higher gives larger files", async () => {
  const sizes = [];
  for (const jpeg_quality of ["1", "25", "50", "75", "100"]) sizes.push((await make({ jpeg_quality })).length);
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  expect(new Set(sizes).size).toBe(sizes.length);
});

test("spec: jpeg_quality defaults to 75", async () => {
  expect(Buffer.compare(await make({}), await make({ jpeg_quality: "75" }))).toBe(0);
});

test.each(["0", "101", "-1", "75.5", "high"])("spec: 400 for the jpeg_quality %o", async (jpeg_quality) => {
  const { status, body } = await privateClient().post("/jpg", { file: upload(pdf), output: "a", jpeg_quality });
  expect([status, body.error]).toEqual([400, `${jpeg_quality} is not within the acceptable range for jpeg_quality.`]);
});

test.each([
  ["gray", 1],
  ["rgb", 3],
  ["cmyk", 4],
])("spec: color_model %s has %i components, and the file carries the resolution", async (color_model, components) => {
  const bytes = Buffer.from(await make({ color_model, resolution: "150" }, await quartersPdf()));
  expect(bytes[segment(bytes, 0xc0) + 9]).toBe(components);
  if (color_model === "cmyk") {
    // The Adobe marker indicates inverted inks.
    expect(bytes.includes("Adobe\0")).toBe(true);
  } else {
    expect([bytes.readUInt8(13), bytes.readUInt16BE(14), bytes.readUInt16BE(16)]).toEqual([1, 150, 150]);
  }
  const picture = await decode(bytes, "jpg");
  expect([picture.width, picture.height]).toEqual([1275, 1650]);
});

test("65,535 pixels a side are the most: beyond them 400 names the resolution", async () => {
  const long = await textPdf(1, [72, 14_400]);
  const { status, body } = await privateClient().post("/jpg", { file: upload(long), output: "a", resolution: "400" });
  expect([status, body.error]).toEqual([400, "400 is not within the acceptable range for resolution."]);
});

/** Returns the position of the first segment with this marker (T.81 B.1.1.4). */
function segment(bytes: Buffer, marker: number): number {
  let at = 2;
  while (bytes[at + 1] !== marker) at += 2 + bytes.readUInt16BE(at + 2);
  return at;
}

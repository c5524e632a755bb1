// Tests that predictors make ICC profiles with tables smaller, and that the decoded profiles are equal byte for byte.
import { execFileSync } from "node:child_process";
import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { compressPdf } from "../../../../src/operations/compress-pdf.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { CONTEXT, outputsOf } from "../../../support/operations.ts";
import { qpdfComplaints, withFile } from "../../../support/pdf-readers.ts";

const GRID = 25;

/** Returns a profile with one table from three to four channels (ICC.1, 10.11), and some bytes at its end. */
function profile(more: number): Buffer {
  const table = Buffer.alloc(48 + 3 * 256 + GRID ** 3 * 4 + 4 * 256);
  table.write("mft1", 0, "latin1");
  table.set([3, 4, GRID, 0], 8);
  for (let at = 48; at < table.length; at++) {
    const [entry, channel] = [(at - 816) >> 2, at & 3];
    const [a, b, c] = [entry % GRID, Math.floor(entry / GRID) % GRID, Math.floor(entry / GRID ** 2)];
    table[at] = (a * (channel + 1) + b * 3 + c * 5 * channel + ((a * b * 7) % 3)) & 255;
  }
  const head = Buffer.alloc(144);
  head.write("acsp", 36, "latin1");
  head.writeUInt32BE(1, 128);
  head.write("B2A0", 132, "latin1");
  head.writeUInt32BE(144, 136);
  head.writeUInt32BE(table.length, 140);
  const whole = Buffer.concat([head, table, Buffer.alloc(more)]);
  whole.writeUInt32BE(whole.length, 0);
  return whole;
}

function withProfile(bytes: Buffer): Uint8Array {
  const builder = new PdfBuilder();
  const stream = builder.stream(deflateSync(bytes, { level: 9 }), "/N 4/Filter/FlateDecode");
  builder.page("/C cs 0 0 0 1 sc 0 0 9 9 re f BT /F 9 Tf (a) Tj ET", "", `/ColorSpace<</C[/ICCBased ${stream}]>>`);
  return builder.bytes();
}

const profileOf = (pdf: Uint8Array) =>
  withFile(pdf, (path) => {
    const objects = execFileSync("qpdf", ["--json", "--decode-level=generalized", path]).toString();
    const dictionaries = JSON.parse(objects).qpdf[1] as Record<string, { stream?: { dict: Record<string, unknown> } }>;
    const [name, { stream }] = Object.entries(dictionaries).find(([, object]) => {
      const { "/N": channels, "/Type": type } = object.stream?.dict ?? {};
      return channels === 4 && type === undefined;
    })!;
    const number = /^obj:(\d+)/.exec(name)![1]!;
    const bytes = execFileSync("qpdf", [`--show-object=${number}`, "--filtered-stream-data", path]);
    return { dictionary: stream!.dict, bytes };
  });

test.each(["low", "high"] as const)("a profile with tables, at %s", async (level) => {
  const before = profile(0);
  const pdf = withProfile(before);
  const [made] = await outputsOf(compressPdf, [pdf], { level }, CONTEXT);
  const { dictionary, bytes } = profileOf(made!);
  expect(qpdfComplaints(made!)).toBe("");
  expect(bytes.equals(before)).toBe(true);
  expect(dictionary["/DecodeParms"]).toMatchObject({ "/Predictor": 15, "/Colors": 4 });
  expect(made!.length).toBeLessThan(0.8 * pdf.length);
  const [again] = await outputsOf(compressPdf, [made!], { level }, CONTEXT);
  expect(Buffer.from(again!).equals(made!)).toBe(true);
});

test("one whose length is no whole rows keeps its coding", async () => {
  const before = profile(1);
  const [made] = await outputsOf(compressPdf, [withProfile(before)], { level: "low" }, CONTEXT);
  const { dictionary, bytes } = profileOf(made!);
  expect(bytes.equals(before)).toBe(true);
  expect(dictionary).not.toHaveProperty("/DecodeParms");
});

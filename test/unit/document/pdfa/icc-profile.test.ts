// Tests the ICC profiles of PDF/A.
import { describe, expect, test } from "vitest";
import { readHeader } from "../../../../src/document/formats/icc/header.ts";
import { asVersion2, grayProfile, srgbProfile } from "../../../../src/document/formats/icc/profile.ts";
import { version4 } from "../../../fixtures/archival-pdfs.ts";

const curve = (kind: number, ...numbers: number[]): Buffer => {
  const tag = Buffer.alloc(12 + 4 * numbers.length);
  tag.write("para", "latin1");
  tag.writeUInt16BE(kind, 8);
  numbers.forEach((number, index) => {
    tag.writeInt32BE(Math.round(number * 65_536), 12 + 4 * index);
  });
  return tag;
};

/** Returns the data of the tag, and the position of its offset and size. */
function tagOf(profile: Uint8Array, signature: string): { data: Buffer; entry: number } {
  const bytes = Buffer.from(profile);
  const entry = bytes.indexOf(signature, 128, "latin1");
  const place = bytes.readUInt32BE(entry + 4);
  return { data: bytes.subarray(place, place + bytes.readUInt32BE(entry + 8)), entry };
}

/** Returns sRGB of version 4 with another kind of curve. */
function withCurve(data: Buffer): Buffer {
  const profile = Buffer.concat([version4(), data]);
  for (const signature of ["rTRC", "gTRC", "bTRC"]) {
    const { entry } = tagOf(profile, signature);
    profile.writeUInt32BE(profile.length - data.length, entry + 4);
    profile.writeUInt32BE(data.length, entry + 8);
  }
  profile.writeUInt32BE(profile.length, 0);
  return profile;
}

const points = (profile: Uint8Array) => {
  const { data } = tagOf(profile, "rTRC");
  expect(data.toString("latin1", 0, 4)).toBe("curv");
  return Array.from({ length: data.readUInt32BE(8) }, (_, index) => data.readUInt16BE(12 + 2 * index) / 65_535);
};

describe("profiles of our own", () => {
  test.each([
    ["sRGB", srgbProfile(), "RGB "],
    ["gray", grayProfile(), "GRAY"],
  ])("%s: of a display, version 2, small", (_, profile, space) => {
    expect(readHeader(profile)).toEqual({ version: 2, deviceClass: "mntr", space });
    expect(profile.length).toBeLessThan(4096);
    expect(profile.length % 4).toBe(0);
  });

  test("white is white: the columns add up to D50", () => {
    const sums = [0, 1, 2].map((axis) =>
      ["rXYZ", "gXYZ", "bXYZ"].reduce((sum, tag) => sum + tagOf(srgbProfile(), tag).data.readInt32BE(8 + 4 * axis), 0),
    );
    [0.9642, 1, 0.8249].forEach((value, axis) => {
      expect(sums[axis]! / 65_536).toBeCloseTo(value, 3);
    });
  });

  test("the curve is that of sRGB", () => {
    const curve = points(srgbProfile());
    expect([0, 0.02, 0.5, 1].map((value) => curve[Math.round(value * 1023)]!)).toEqual([
      0,
      expect.closeTo(0.02 / 12.92, 4),
      expect.closeTo(0.2142, 3),
      1,
    ]);
  });
});

describe("version 4 as version 2", () => {
  test.each([
    ["a power", curve(0, 2), (x: number) => x ** 2],
    ["with an offset", curve(1, 2, 1.25, -0.25), (x: number) => (x < 0.2 ? 0 : (1.25 * x - 0.25) ** 2)],
    ["raised", curve(2, 2, 0.5, 0.25, 0.125), (x: number) => (0.5 * x + 0.25) ** 2 + 0.125],
    [
      "sRGB's",
      curve(3, 2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045),
      (x: number) => (x < 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4),
    ],
    [
      "with all",
      curve(4, 2, 0.5, 0.25, 0.1, 0.5, 0.125, 0.0625),
      (x: number) => (x < 0.5 ? 0.1 * x + 0.0625 : (0.5 * x + 0.25) ** 2 + 0.125),
    ],
  ])("curves are sampled: %s", (_, tag, expected) => {
    const older = asVersion2(withCurve(tag))!;
    expect(readHeader(older)).toMatchObject({ version: 2, space: "RGB " });
    const curve = points(older);
    for (const index of [0, 100, 300, 511, 512, 700, 1023]) expect(curve[index]).toBeCloseTo(expected(index / 1023), 3);
  });

  test("the columns stay", () => {
    const older = asVersion2(version4())!;
    for (const tag of ["rXYZ", "gXYZ", "bXYZ"]) expect(tagOf(older, tag).data).toEqual(tagOf(srgbProfile(), tag).data);
    expect(readHeader(asVersion2(version4(grayProfile()))!)).toMatchObject({ version: 2, space: "GRAY" });
  });

  test.each([
    ["of version 2", srgbProfile()],
    ["of a printer", Buffer.from(version4()).fill("prtr", 12, 16, "latin1")],
    ["of another kind of curve", withCurve(Buffer.from("mAB \0\0\0\0\0\0\0\0", "latin1"))],
    ["cut off", version4().subarray(0, 600)],
    ["nothing", new Uint8Array(0)],
  ])("a profile %s stays what it is", (_, profile) => {
    expect(asVersion2(profile)).toBeUndefined();
  });
});

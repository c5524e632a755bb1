// Tests the headers of ICC profiles, as the readers of images, PDF/A and compression use them.
import { describe, expect, test } from "vitest";
import {
  componentsOf,
  MAX_PROFILE_BYTES,
  readHeader,
  readTags,
} from "../../../../../src/document/formats/icc/header.ts";
import { srgbProfile } from "../../../../../src/document/formats/icc/profile.ts";
import { profiledSpace } from "../../../../../src/document/formats/to-pdf/profiled-space.ts";

const MIB = 2 ** 20;
const changed = (change: (bytes: Buffer) => void): Buffer => {
  const bytes = Buffer.from(srgbProfile());
  change(bytes);
  return bytes;
};
/** Returns sRGB with an additional last tag that extends the profile to the given number of bytes. */
const ofSize = (size: number): Buffer => {
  const bytes = Buffer.concat([srgbProfile()], size);
  bytes.writeUInt32BE(size, 0);
  return bytes;
};

describe("a profile is whole", () => {
  test.each<[string, Buffer]>([
    ["itself", Buffer.from(srgbProfile())],
    ["with bytes after it", Buffer.concat([srgbProfile(), Buffer.alloc(99)])],
    ["of 12 MiB", ofSize(12 * MIB)],
    ["as large as the limit", ofSize(MAX_PROFILE_BYTES)],
  ])("%s", (_, bytes) => {
    expect(readHeader(bytes)).toEqual({ version: 2, deviceClass: "mntr", space: "RGB " });
    expect(profiledSpace(bytes, 3)).toMatchObject({ kind: "icc", components: 3 });
    expect(readTags(bytes)?.map(({ signature }) => signature)).toContain("rTRC");
  });

  test("samples get it without the bytes after it", () => {
    const space = profiledSpace(Buffer.concat([srgbProfile(), Buffer.alloc(99)]), 3);
    expect(space.kind === "icc" && space.profile.length).toBe(srgbProfile().length);
  });
});

describe("not a profile", () => {
  test.each<[string, Buffer]>([
    ["nothing", Buffer.alloc(0)],
    ["a header alone", Buffer.from(srgbProfile()).subarray(0, 132)],
    ["another signature", changed((bytes) => void bytes.write("none", 36))],
    ["a size beyond the bytes", changed((bytes) => void bytes.writeUInt32BE(bytes.length + 1, 0))],
    ["a size below that of the tag table", changed((bytes) => void bytes.writeUInt32BE(100, 0))],
    ["no tags", changed((bytes) => void bytes.writeUInt32BE(0, 128))],
    ["more tags than bytes", changed((bytes) => void bytes.writeUInt32BE(2 ** 31, 128))],
    ["a tag beyond the profile", changed((bytes) => void bytes.writeUInt32BE(bytes.length, 136))],
    ["beyond the limit", ofSize(MAX_PROFILE_BYTES + 1)],
  ])("%s", (_, bytes) => {
    expect(readHeader(bytes)).toBeUndefined();
    expect(readTags(bytes)).toBeUndefined();
    expect(profiledSpace(bytes, 3)).toEqual({ kind: "rgb" });
  });
});

test("components by color space", () => {
  expect(["GRAY", "RGB ", "Lab ", "CMYK", "HSV ", "constructor"].map(componentsOf)).toEqual([
    1,
    3,
    3,
    4,
    undefined,
    undefined,
  ]);
});

// Removes texts from images, through all filters around them.
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { withoutImageTexts } from "../../../../src/document/redaction/sweep/image-texts.ts";
import { withoutOuterFilters } from "../../../../src/document/redaction/sweep/outer-filters.ts";
import { jpegWith, jpxWith } from "../../../support/redaction-attack/hidden-parts.ts";

const text = Buffer.from("See the heron \0\0\0\0\xff.", "latin1");

describe("outer filters", () => {
  test.each<[filters: string[], coded: Buffer]>([
    [["ASCIIHexDecode"], Buffer.from(`${text.toString("hex").replace(/(..)/g, "$1 ")}>`)],
    [["ASCII85Decode"], Buffer.from(";e9M_FD\n,5.BOu4&DBJoZ!!*$O~>")],
    [["FlateDecode"], deflateSync(text)],
    [["ASCIIHexDecode", "FlateDecode"], Buffer.from(`${deflateSync(text).toString("hex")}>`)],
    [
      ["RunLengthDecode"],
      Buffer.concat([Buffer.of(13), text.subarray(0, 14), Buffer.of(253, 0, 1), text.subarray(18)]),
    ],
  ])("%s", (filters, coded) => {
    const decoded = withoutOuterFilters(coded, filters)!;
    expect(Buffer.from(decoded).equals(text)).toBe(true);
  });

  test("data that cannot be decoded", () => {
    expect(withoutOuterFilters(text, ["FlateDecode"])).toBeUndefined();
    expect(withoutOuterFilters(text, ["Unknown"])).toBeUndefined();
  });
});

describe("texts of images", () => {
  test.each([
    ["DCTDecode", jpegWith("heron")],
    ["DCTDecode", jpegWith("Exif\0\0heron", 0xe1)],
    ["DCTDecode", jpegWith("JFXX\0heron", 0xe0)],
    ["DCTDecode", Buffer.concat([jpegWith("x"), Buffer.from("heron")])],
    ["JPXDecode", jpxWith("heron")],
  ])("%s", (filter, image) => {
    expect(Buffer.from(withoutImageTexts(image, filter)).includes("heron")).toBe(false);
  });

  test("an image without texts stays the same", () => {
    const plain = withoutImageTexts(jpegWith("heron"), "DCTDecode");
    expect(withoutImageTexts(plain, "DCTDecode")).toBe(plain);
    const jpx = withoutImageTexts(jpxWith("heron"), "JPXDecode");
    expect(withoutImageTexts(jpx, "JPXDecode")).toBe(jpx);
  });
});

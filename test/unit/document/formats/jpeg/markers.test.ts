// Tests that all readers treat unusual markers alike: readers of files in memory, of streams, and of parts of TIFF.
import { describe, expect, test } from "vitest";
import { ByteReader } from "../../../../../src/document/contract/byte-reader.ts";
import { JpegFile } from "../../../../../src/document/formats/jpeg/file.ts";
import { endOfCodes, isFrame, readSegment, readSegmentFrom } from "../../../../../src/document/formats/jpeg/markers.ts";
import { readCoded, readTables } from "../../../../../src/document/formats/jpeg/stream.ts";
import { jpeg, jpegSegment, pattern } from "../../../../fixtures/pictures.ts";

const start = Buffer.from([0xff, 0xd8]);
const picture = jpeg(pattern(3), "rgb");
const rest = picture.subarray(2);
const jfif = (dataBytes: number) =>
  jpegSegment(
    0xe0,
    Buffer.concat([Buffer.from("JFIF\0"), Buffer.from([1, 2, 1, 0, 72, 0, 72, 0, 0])]).subarray(0, dataBytes),
  );
const app14 = (name: string, transform: number) =>
  jpegSegment(0xee, Buffer.concat([Buffer.from(name), Buffer.from([0, 100, 0, 0, 0, 0, transform])]));
const withoutJfif = picture.subarray(4 + picture.readUInt16BE(4));

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

type Found = readonly [marker: number, dataBytes: number | undefined];

function inMemory(bytes: Uint8Array): Found[] {
  const found: Found[] = [];
  for (let segment = readSegment(bytes, 0); segment; segment = readSegment(bytes, segment.end)) {
    found.push([segment.marker, segment.data?.length]);
    if (!segment.data || segment.marker === 0xd9) break;
  }
  return found;
}

async function inStream(bytes: Uint8Array): Promise<Found[]> {
  await using reader = new ByteReader(inChunks(bytes));
  const found: Found[] = [];
  for (let segment = await readSegmentFrom(reader); segment; segment = await readSegmentFrom(reader)) {
    found.push([segment.marker, segment.data?.length]);
    if (!segment.data || segment.marker === 0xd9) break;
  }
  return found;
}

describe("segments, in memory and in a stream", () => {
  const comment = jpegSegment(0xfe, Buffer.from("abc"));
  const end = Buffer.from([0xff, 0xd9]);
  test.each<[string, Buffer, readonly Found[]]>([
    [
      "fill bytes",
      Buffer.concat([start, Buffer.alloc(9, 0xff), comment, end]),
      [
        [0xfe, 3],
        [0xd9, 0],
      ],
    ],
    [
      "stray bytes",
      Buffer.concat([start, Buffer.from([1, 0xff, 0, 2]), comment, end]),
      [
        [0xfe, 3],
        [0xd9, 0],
      ],
    ],
    [
      "markers without a segment",
      Buffer.concat([start, Buffer.from([0xff, 0x01, 0xff, 0xd0, 0xff, 0xd7, 0xff, 0xd8]), comment, end]),
      [
        [0xfe, 3],
        [0xd9, 0],
      ],
    ],
    [
      "JPG, which is no frame",
      Buffer.concat([start, jpegSegment(0xc8, Buffer.alloc(4)), end]),
      [
        [0xc8, 4],
        [0xd9, 0],
      ],
    ],
    [
      "an empty segment",
      Buffer.concat([start, jpegSegment(0xfe, Buffer.alloc(0)), end]),
      [
        [0xfe, 0],
        [0xd9, 0],
      ],
    ],
    ["a length of 0", Buffer.from([0xff, 0xfe, 0, 0, 0xff, 0xd9]), [[0xfe, undefined]]],
    ["a length of 1", Buffer.from([0xff, 0xfe, 0, 1, 0xff, 0xd9]), [[0xfe, undefined]]],
    ["a truncated segment", comment.subarray(0, 6), [[0xfe, undefined]]],
    ["a truncated length", comment.subarray(0, 3), [[0xfe, undefined]]],
    ["a truncated marker", Buffer.from([0xff, 0xd8, 0xff]), []],
    ["nothing", Buffer.alloc(0), []],
    ["stray bytes without end", Buffer.concat([Buffer.alloc(65_536), comment]), []],
    ["fill bytes without end", Buffer.concat([Buffer.alloc(65_536, 0xff), comment]), []],
  ])("%s", async (_, bytes, expected) => {
    expect(inMemory(bytes)).toEqual(expected);
    expect(await inStream(bytes)).toEqual(expected);
  });

  test("frames are SOF0 to SOF15 without DHT, JPG and DAC", () => {
    const frames = Array.from({ length: 256 }, (_, code) => code).filter(isFrame);
    expect(frames.map((code) => code - 0xc0)).toEqual([0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15]);
  });

  test("codes end at a marker other than a restart", () => {
    expect(endOfCodes(Uint8Array.of(1, 0xff, 0, 0xff, 0xd3, 2, 0xff, 0xd9), 0)).toBe(6);
    expect(endOfCodes(Uint8Array.of(1, 0xff), 0)).toBe(1);
    expect(endOfCodes(Uint8Array.of(1, 2), 0)).toBe(2);
  });

  test("a search takes linear time", () => {
    const many = Buffer.concat(Array.from({ length: 200_000 }, () => Buffer.from([0xff, 0xfe, 0, 2, 0xff, 0xd8])));
    expect(inMemory(many).length).toBe(200_000);
  });
});

describe("readers", () => {
  /** Returns, for a whole file and for a part of TIFF, true if it has an image, and the detected color transform. */
  function read(bytes: Buffer): readonly unknown[] {
    const file = new JpegFile(bytes);
    const coded = readCoded(bytes, {});
    const scan = file.nextScan();
    return [scan !== undefined, file.adobeTransform, coded !== undefined, coded?.transform];
  }

  test.each<[string, Buffer]>([
    ["TEM", Buffer.from([0xff, 0x01])],
    ["restarts", Buffer.from([0xff, 0xd0, 0xff, 0xd5])],
    ["fill bytes", Buffer.alloc(300, 0xff)],
    ["another APP14", app14("Other", 1)],
    ["a short APP14", jpegSegment(0xee, Buffer.from("Adobe"))],
  ])("%s before the tables changes nothing", (_, odd) => {
    expect(read(Buffer.concat([start, odd, rest]))).toEqual([true, undefined, true, undefined]);
  });

  test("Adobe's marker", () => {
    expect(read(Buffer.concat([start, app14("Adobe", 1), rest]))).toEqual([true, 1, true, 1]);
  });

  test("the end of the image is the end, whatever follows", () => {
    const ended = Buffer.concat([start, Buffer.from([0xff, 0xd9]), rest]);
    expect(read(ended)).toEqual([false, undefined, false, undefined]);
    expect(readTables(ended).tables).toEqual([]);
  });

  test.each([0, 1])("a length of %i is an error", (length) => {
    const bytes = Buffer.concat([start, Buffer.from([0xff, 0xfe, 0, length]), rest]);
    expect(() => new JpegFile(bytes).nextScan()).toThrow("not whole");
    expect(readCoded(bytes, {})).toBeUndefined();
  });

  test("JFIF's marker has 14 bytes of data at least", () => {
    const hasJfif = (dataBytes: number) => {
      const file = new JpegFile(Buffer.concat([start, jfif(dataBytes), withoutJfif]));
      file.nextScan();
      return file.hasJfif;
    };
    expect([5, 13, 14].map(hasJfif)).toEqual([false, false, true]);
  });
});

// Tests the meaning of channels according to the boxes of JPEG 2000 data.
import { describe, expect, test } from "vitest";
import { readJpxChannels, withPlainChannels } from "../../../../../src/document/formats/jpx/channels.ts";
import { CODESTREAMS, definitions, jp2, opacity } from "../../../../fixtures/jpx-pictures.ts";

const [CMYK, RGB, GRAY] = [12, 16, 17];
const codestream = (kind: keyof typeof CODESTREAMS) => new Uint8Array(Buffer.from(CODESTREAMS[kind], "base64"));

test.each<[string, Uint8Array, number | undefined, readonly number[], number | undefined, boolean]>([
  ["colors alone", jp2("rgb", RGB), undefined, [0, 1, 2], undefined, true],
  ["opacity last", jp2("cmyk", RGB, opacity(4)), undefined, [0, 1, 2], 3, true],
  ["opacity first", jp2("cmyk", RGB, definitions([1, 0], [0, 1], [0, 2], [0, 3])), undefined, [1, 2, 3], 0, false],
  [
    "colors in another order",
    jp2("rgb", RGB, definitions([0, 3], [0, 2], [0, 1])),
    undefined,
    [2, 1, 0],
    undefined,
    false,
  ],
  [
    "premultiplied opacity",
    jp2("cmyk", RGB, definitions([0, 1], [0, 2], [0, 3], [2, 0])),
    undefined,
    [0, 1, 2],
    3,
    false,
  ],
  [
    "opacity of one color alone",
    jp2("cmyk", RGB, definitions([0, 1], [0, 2], [0, 3], [1, 2])),
    undefined,
    [0, 1, 2],
    undefined,
    false,
  ],
  [
    "an unspecified channel",
    jp2("cmyk", RGB, definitions([0, 1], [0, 2], [0, 3], [0xffff, 0xffff])),
    undefined,
    [0, 1, 2],
    undefined,
    false,
  ],
  ["a channel more than the space has", jp2("cmyk", RGB), undefined, [0, 1, 2], 3, false],
  ["as many as the space has", jp2("cmyk", CMYK), undefined, [0, 1, 2, 3], undefined, true],
  ["a channel more than the dictionary's space has", codestream("cmyk"), 3, [0, 1, 2], 3, false],
  ["three more than the space has", jp2("cmyk", GRAY), undefined, [0], undefined, false],
  ["a codestream without a space", codestream("cmyk"), undefined, [0, 1, 2, 3], undefined, true],
])("%s", (_, data, dictionaryColors, colors, opacityChannel, isPlain) => {
  const { colors: found, opacity, isPlain: plain } = readJpxChannels(data, dictionaryColors)!;
  expect([found, opacity, plain]).toEqual([colors, opacityChannel, isPlain]);
});

describe("damaged data", () => {
  test.each<[string, Uint8Array]>([
    ["nothing", new Uint8Array(0)],
    ["text", Buffer.from("This is not a picture at all, but text.")],
    ["a definition of a channel that is not there", jp2("gray", GRAY, definitions([0, 1], [0, 2]))],
    ["no colors", jp2("gray", GRAY, definitions([1, 0]))],
  ])("%s has no channels", (_, data) => {
    expect(readJpxChannels(data)).toBeUndefined();
  });

  test("data that are cut off anywhere throw nothing", () => {
    const data = jp2("cmyk", RGB, opacity(4));
    for (let size = 0; size < 220; size++) readJpxChannels(data.subarray(0, size));
    expect(readJpxChannels(data.subarray(0, 220))?.opacity).toBe(3);
  });
});

test("data without a statement about their channels are the codestream", () => {
  const data = jp2("cmyk", RGB, opacity(4));
  expect(Buffer.from(withPlainChannels(data, readJpxChannels(data)!))).toEqual(Buffer.from(codestream("cmyk")));
});

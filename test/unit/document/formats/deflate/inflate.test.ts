// Tests zlib streams that arrive in pieces, are truncated, or are damaged: no data before the damage may be lost.
import { constants, deflateSync, inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { Inflater, inflated, inflatedAtOnce, type Mode } from "../../../../../src/document/formats/deflate/inflate.ts";

const MODES: readonly Mode[] = ["strict", "tolerant", "careful"];
/** More data than one step inflates, neither constant nor random. */
const CONTENT = Buffer.from(Array.from({ length: 1_500_000 }, (_, index) => (index * index) >> 7));
const STREAM = deflateSync(CONTENT);

async function inflate(mode: Mode, stream: Uint8Array, pieceBytes = stream.length) {
  using inflater = new Inflater(mode);
  const chunks: Buffer[] = [];
  for (let at = 0; at < stream.length; at += pieceBytes) {
    for await (const chunk of inflater.push(stream.subarray(at, at + pieceBytes))) chunks.push(Buffer.from(chunk));
  }
  return { bytes: Buffer.concat(chunks), isSound: await inflater.end() };
}

async function inflateWhole(stream: Uint8Array, sizeBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of inflated(stream, sizeBytes)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

describe.each(MODES)("%s", (mode) => {
  test.each([STREAM.length, 70_000, 997])("pieces of %i bytes, and bytes after the end", async (pieceBytes) => {
    const { bytes, isSound } = await inflate(mode, Buffer.concat([STREAM, Buffer.from("more")]), pieceBytes);
    expect([isSound, bytes.equals(CONTENT)]).toEqual([true, true]);
  });

  test("nothing, and single bytes", async () => {
    expect(await inflate(mode, deflateSync(""), 1)).toEqual({ bytes: Buffer.alloc(0), isSound: true });
    expect(await inflate(mode, deflateSync("text"), 1)).toEqual({ bytes: Buffer.from("text"), isSound: true });
  });

  test("a stream that expands a thousandfold is not held whole", async () => {
    using inflater = new Inflater(mode);
    for await (const chunk of inflater.push(deflateSync(Buffer.alloc(50_000_000)))) {
      expect(chunk.length).toBeLessThanOrEqual(2 ** 20);
      break;
    }
  });

  test.each([
    ["no zlib stream", Buffer.from("GIF89a....")],
    ["a preset dictionary", Buffer.from([0x78, 0xbb, 0, 0, 0, 0, 0, 0])],
    ["a block of no kind", Buffer.from([0x78, 0x9c, 0x07, 0, 0, 0, 0])],
    ["a match before the beginning", Buffer.from([0x78, 0x9c, 0x63, 0x00, 0x42, 0x00, 0, 0])],
  ])("%s is damaged", async (_, start) => {
    const stream = Buffer.concat([start, Buffer.alloc(300)]);
    expect((await inflate(mode, stream, 50)).isSound).toBe(false);
    expect(inflatedAtOnce(stream, 100)).toBe(undefined);
  });
});

test.each([1, 100, 5_000, STREAM.length >> 1, STREAM.length - 5])("cut after %i bytes: all before", async (cut) => {
  const part = STREAM.subarray(0, cut);
  const before = cut > 1 ? inflateSync(part, { finishFlush: constants.Z_SYNC_FLUSH }) : Buffer.alloc(0);
  for (const mode of MODES) expect(await inflate(mode, part, 1000)).toEqual({ bytes: before, isSound: false });
  expect((await inflateWhole(part, CONTENT.length)).equals(before)).toBe(true);
  if (cut > 1) expect(Buffer.from(inflatedAtOnce(part, CONTENT.length)!).equals(before)).toBe(true);
});

test("wrong bytes in the middle cost at most 4 KiB before them", async () => {
  for (let at = 10; at < STREAM.length; at += STREAM.length >> 3) {
    const damaged = Buffer.from(STREAM).fill(0xff, at, at + 40);
    const sound = inflateSync(STREAM.subarray(0, at), { finishFlush: constants.Z_SYNC_FLUSH }).length - 4096;
    expect((await inflate("strict", damaged)).isSound).toBe(false);
    for (const bytes of [(await inflate("careful", damaged)).bytes, await inflateWhole(damaged, CONTENT.length)]) {
      expect(bytes.length).toBeGreaterThanOrEqual(sound);
      expect(bytes.subarray(0, Math.max(0, sound)).equals(CONTENT.subarray(0, Math.max(0, sound)))).toBe(true);
    }
  }
});

test("a wrong checksum costs nothing, and is found in strict mode", async () => {
  const wrong = Buffer.from(STREAM);
  wrong[wrong.length - 1]! ^= 1;
  expect((await inflate("strict", wrong)).isSound).toBe(false);
  for (const mode of ["tolerant", "careful"] as const) expect((await inflate(mode, wrong)).bytes).toEqual(CONTENT);
  for (const sizeBytes of [1000, CONTENT.length]) expect(await inflateWhole(wrong, sizeBytes)).toEqual(CONTENT);
});

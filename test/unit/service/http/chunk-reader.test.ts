// Tests bodies that are read in pieces, in a runtime that does not fill buffers. test/worker tests them in a runtime
// that does.
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { ChunkReader, readBytes } from "../../../../src/service/http/requests/chunk-reader.ts";

const stream = (...sizes: number[]) =>
  Readable.toWeb(Readable.from(sizes.map((size) => Buffer.alloc(size)))) as ReadableStream<Uint8Array>;

test.each([
  ["a body of bytes", () => new Response(Buffer.alloc(10, 1)).body!],
  ["one chunk", () => stream(10)],
  ["several chunks, and empty ones", () => stream(0, 3, 0, 7)],
])("all bytes of %s", async (_, body) => {
  for (const size of [9, 10, 11]) expect((await readBytes(body(), size)).length).toBe(Math.min(size, 10));
  const pieces = new ChunkReader(body(), 4);
  let length = 0;
  for (let piece = await pieces.read(); piece; piece = await pieces.read()) {
    // A Buffer would be unsafe, because its slice() does not copy.
    expect(Buffer.isBuffer(piece)).toBe(false);
    length += piece.length;
  }
  expect([length, await pieces.read()]).toEqual([10, undefined]);
});

test("an empty body, and one that fails", async () => {
  expect(await readBytes(stream(), 5)).toEqual(new Uint8Array(0));
  const failing = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("broken off")) });
  await expect(new ChunkReader(failing, 4).read()).rejects.toThrow("broken off");
});

test("what is not read is cancelled", async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(10)),
    cancel: () => {
      isCancelled = true;
    },
  });
  expect((await readBytes(body, 15)).length).toBe(15);
  expect(isCancelled).toBe(true);
});

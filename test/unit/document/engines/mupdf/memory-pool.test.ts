// Tests that engines reuse one memory, without data of the previous engine.
import { expect, test } from "vitest";
import { acquireMemory, releaseMemory } from "../../../../../src/document/engines/mupdf/instance/memory-pool.ts";
import { Mupdf } from "../../../../../src/document/engines/mupdf/instance/mupdf.ts";

const LIMITS = { heapLimitBytes: 88 * 2 ** 20 };

test("the next engine has the memory of the one before, but not its bytes", async () => {
  const first = await Mupdf.create(LIMITS);
  const secret = first.raw._wasm_malloc(2 ** 20);
  first.raw.HEAPU8.fill(0x5a, secret, secret + 2 ** 20);
  const view = first.raw.HEAPU8.subarray(secret);
  first.close();
  first.close();
  const [second, third] = [await Mupdf.create(LIMITS), await Mupdf.create(LIMITS)];
  expect(view.length).toBe(0);
  expect(second.raw.HEAPU8.buffer).not.toBe(third.raw.HEAPU8.buffer);
  const bytes = Buffer.from(second.raw.HEAPU8.buffer);
  expect(bytes.includes(Buffer.alloc(64, 0x5a))).toBe(false);
  second.close();
  third.close();
});

test("a memory that was given back is empty", () => {
  const memory = acquireMemory();
  new Uint8Array(memory.buffer).fill(1);
  releaseMemory(memory);
  expect(acquireMemory()).toBe(memory);
  expect(new Uint8Array(memory.buffer).every((byte) => byte === 0)).toBe(true);
});

test("a memory that grew large is not kept", () => {
  const memory = acquireMemory();
  memory.grow(16 * (2 ** 20 / 2 ** 16));
  releaseMemory(memory);
  expect(acquireMemory()).not.toBe(memory);
});

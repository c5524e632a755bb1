// Tests the caches of page images of the host: memory, and the disk for what memory cannot hold.
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DiskImageCache } from "../../../../host/storage/disk-image-cache.ts";
import { MemoryImageCache } from "../../../../host/storage/memory-image-cache.ts";
import type { PageImageCache } from "../../../../src/service/ports/page-image-cache.ts";
import { cachedWhileRead } from "../../../../src/service/views/image-cache.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "images-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

const KIB = 2 ** 10;
const image = (fill: number, size: number) => new Uint8Array(size).fill(fill);
const response = (bytes: Uint8Array<ArrayBuffer>) => new Response(bytes, { headers: { Picture: String(bytes[0]) } });

/** Returns the first byte, the size and a header of a cached image. */
async function found(cache: PageImageCache, key: string) {
  const match = await cache.match(key);
  if (!match) return undefined;
  const bytes = new Uint8Array(await match.arrayBuffer());
  return [bytes[0], bytes.length, match.headers.get("Picture")];
}

test("images that were not used for longest, and large ones, move to the disk", async () => {
  const disk = await DiskImageCache.open(folder, 1000 * KIB);
  const cache = new MemoryImageCache(80 * KIB, disk);
  for (let n = 1; n <= 9; n++) await cache.put(`small-${n}`, response(image(n, 9 * KIB)));
  await cache.put("large", response(image(20, 200 * KIB)));
  expect(await readdir(folder)).toHaveLength(3);
  expect(await found(disk, "small-1")).toEqual([1, 9 * KIB, "1"]);
  for (let n = 1; n <= 9; n++) expect(await found(cache, `small-${n}`)).toEqual([n, 9 * KIB, String(n)]);
  expect(await found(cache, "large")).toEqual([20, 200 * KIB, "20"]);
  await cache.put("large", response(image(21, 9 * KIB)));
  expect(await found(cache, "large")).toEqual([21, 9 * KIB, "21"]);
  expect(await found(cache, "unknown")).toBeUndefined();
});

test("the disk has a limit, beyond which the image that was not used for longest is deleted", async () => {
  const disk = await DiskImageCache.open(folder, 100 * KIB);
  await disk.put("a", response(image(1, 40 * KIB)));
  await disk.put("b", response(image(2, 40 * KIB)));
  await found(disk, "a");
  await disk.put("c", response(image(3, 40 * KIB)));
  const left = await Promise.all(["a", "b", "c"].map(async (key) => (await found(disk, key))?.[0]));
  expect(left).toEqual([1, undefined, 3]);
  await expect(disk.put("d", response(image(4, 101 * KIB)))).rejects.toThrow("larger than the cache");
  expect(await readdir(folder)).toHaveLength(2);
});

test("images of an earlier process, and old ones, are deleted", async () => {
  await writeFile(join(folder, "earlier"), "x");
  const disk = await DiskImageCache.open(folder, 100 * KIB);
  expect(await readdir(folder)).toEqual([]);
  await disk.put("a", response(image(1, KIB)));
  await disk.sweep(Date.now() - 1000);
  expect(await found(disk, "a")).toEqual([1, KIB, "1"]);
  await disk.sweep(Date.now() + 1000);
  expect([await found(disk, "a"), await readdir(folder)]).toEqual([undefined, []]);
});

test("an image is cached while it is sent, if it is sent whole and is not too large", async () => {
  const cache: PageImageCache = new MemoryImageCache(80 * KIB);
  const failing: PageImageCache = { match: async () => undefined, put: () => Promise.reject(new Error("full")) };
  const work: Promise<unknown>[] = [];
  const send = async (name: string, chunks: number, read = chunks, to = cache) => {
    const key = { url: `https://pictures.invalid/${name}`, tag: name };
    const body = (async function* () {
      for (let n = 0; n < chunks; n++) yield image(n + 1, KIB);
    })();
    const caching = { key, headers: new Headers(), defer: (one: Promise<void>) => work.push(one) };
    let sent = 0;
    for await (const _ of cachedWhileRead(body, to, caching)) if (++sent === read) break;
    await Promise.all(work);
    return to === cache ? found(cache, key.url) : sent;
  };
  expect(await send("failing", 5, 6, failing)).toBe(5);
  expect(await send("whole", 5, 6)).toEqual([1, 5 * KIB, "whole"]);
  expect(await send("left", 5, 2)).toBeUndefined();
  expect(await send("too-large", 20, 21)).toBeUndefined();
});

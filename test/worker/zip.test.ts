// Tests an archive of files that are many times larger than an isolate's memory. It is created and stored inside
// workerd.
import { expect, test } from "vitest";
import type { Input } from "../../src/document/contract/operation.ts";
import { zipFiles } from "../../src/operations/zip-files.ts";
import { createMemoryQuota } from "../../src/service/storage/memory-quota.ts";
import { createStore } from "../../src/service/storage/store.ts";
import { readStreamedZip } from "../support/streamed-zip.ts";
import { bucket } from "./bucket.ts";

const MiB = 2 ** 20;
const store = createStore(bucket, { lifetimeMs: 0 });
const context = { signal: new AbortController().signal, heapLimitBytes: 0, defer: () => {}, log: () => {} };

/** Returns content that is produced while it is read. @param count receives the size of each chunk */
function madeFile(
  name: string,
  sizeBytes: number,
  fill: (chunk: Uint8Array) => void,
  count: (bytes: number) => void,
): Input {
  return {
    name,
    size: sizeBytes,
    bytes: () => Promise.reject(new Error("no file is held as a whole")),
    async *stream() {
      const chunk = new Uint8Array(65_536);
      for (let left = sizeBytes; left > 0; left -= chunk.length) {
        fill(chunk);
        const part = chunk.subarray(0, Math.min(left, chunk.length));
        count(part.length);
        yield part;
      }
    },
  };
}

test.each([
  ["dense", (chunk: Uint8Array) => crypto.getRandomValues(chunk as Uint8Array<ArrayBuffer>), 1],
  [
    "half dense",
    (chunk: Uint8Array) => crypto.getRandomValues(chunk.subarray(0, 32_768) as Uint8Array<ArrayBuffer>),
    0.5,
  ],
])("70 MiB of %s content: little is read ahead of what is written", async (_, fill, ratio) => {
  let read = 0;
  let written = 0;
  let mostAhead = 0;
  const sizes = [20 * MiB, 30 * MiB, 20 * MiB];
  const inputs = sizes.map((size, index) =>
    madeFile(`${index}.bin`, size, fill, (bytes) => {
      read += bytes;
    }),
  );
  for await (const { body } of zipFiles.run(inputs, {}, context)) {
    const counted = async function* () {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        written += chunk.length;
        // A stored file is read twice, so the bytes read cannot be compared with the bytes written.
        mostAhead = Math.max(mostAhead, ratio === 1 ? chunk.length : read * ratio - written);
        yield chunk;
      }
    };
    const batch = store.batch("output", createMemoryQuota({ perRequest: 0, total: 0 }).openReservation());
    await batch.add({ name: "a.zip", type: "application/zip", body: counted() });
    const [file] = await batch.commit();
    expect(file!.size / (70 * MiB)).toBeCloseTo(ratio, 1);
    await store.remove([file!.id]);
  }
  expect(mostAhead).toBeLessThan(4 * MiB);
});

test("what is packed in workerd comes out of a streaming reader as it went in", async () => {
  const contents: Readonly<Record<string, Uint8Array>> = {
    "text.txt": new TextEncoder().encode("The quick brown fox jumps over the lazy dog. ".repeat(20_000)),
    "random.bin": crypto.getRandomValues(new Uint8Array(60_000)),
    "empty.txt": new Uint8Array(0),
  };
  const inputs = Object.entries(contents).map(
    ([name, bytes]): Input => ({
      name,
      size: bytes.length,
      bytes: async () => bytes,
      async *stream() {
        yield bytes;
      },
    }),
  );
  for await (const { body } of zipFiles.run(inputs, {}, context)) {
    const entries = await readStreamedZip(body as AsyncIterable<Uint8Array>);
    expect([...entries.keys()]).toEqual(Object.keys(contents));
    for (const [name, bytes] of Object.entries(contents)) expect(entries.get(name)).toEqual(bytes);
  }
});

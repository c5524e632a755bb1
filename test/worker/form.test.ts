// Tests the streaming form reader with R2, inside workerd.
// Contract: docs/api.md#requests, #json-bodies, #limits

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readForm } from "../../src/service/http/requests/read-form.ts";
import { createSemaphore } from "../../src/service/placement/semaphore.ts";
import { createMemoryQuota } from "../../src/service/storage/memory-quota.ts";
import { PART_BYTES } from "../../src/service/storage/standalone-files.ts";
import { createStore } from "../../src/service/storage/store.ts";
import { bucket, emptyBucketBeforeEach, keysInBucket } from "./bucket.ts";

const store = createStore(bucket, { lifetimeMs: 0 });
const MiB = 2 ** 20;

emptyBucketBeforeEach();

function options(maxFileBytes = 100 * MiB, inBucket = bucket) {
  return {
    store: createStore(inBucket, { lifetimeMs: 0 }),
    fileFields: new Set(["file"]),
    jsonFileFields: new Set(["settings"]),
    passwordFields: new Set(["password"]),
    isTransient: false,
    maxFileBytes,
    maxFiles: 100,
    uploadSemaphore: createSemaphore({ concurrency: 6, maxQueued: 6, maxWaitMs: 10_000 }),
    uploadReservation: createMemoryQuota({ perRequest: 8 * MiB, total: 16 * MiB }).openReservation(),
    batchReservation: createMemoryQuota({ perRequest: 4 * MiB, total: 4 * MiB }).openReservation(),
    bodyReservation: createMemoryQuota({ perRequest: 16 * MiB, total: 16 * MiB }).openReservation(),
    signal: new AbortController().signal,
  };
}

const BOUNDARY = "frontier";
const encode = (text: string) => new TextEncoder().encode(text);
const opening = (name = "file", fileName = "big.bin") =>
  encode(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\n\r\n`);
const closing = encode(`\r\n--${BOUNDARY}--\r\n`);

/** Returns a request whose body is produced while it is read. */
function request(chunks: () => Generator<Uint8Array>): Request {
  // Uses the runtime's own stream, like the bodies of network requests.
  const { readable: body, writable } = new IdentityTransformStream();
  void send(chunks(), writable.getWriter());
  return new Request("http://service/", {
    method: "POST",
    body,
    headers: { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` },
  });
}

async function send(chunks: Generator<Uint8Array>, writer: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
  try {
    for (const chunk of chunks) await writer.write(chunk);
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {});
  }
}

/**
 * Yields content that does not repeat at the distance of any buffer size, so that a test detects a buffer that is sent
 * twice.
 */
function* content(sizeBytes: number): Generator<Uint8Array> {
  for (let made = 0; made < sizeBytes; ) {
    const chunk = new Uint8Array(Math.min(65_521, sizeBytes - made));
    for (let index = 0; index < chunk.length; index += 64) chunk[index] = (made + index * 7) >> 6;
    yield chunk;
    made += chunk.length;
  }
}

test("an upload of 100 MiB never holds more than 16 MiB on its way to R2", async () => {
  const sizeBytes = 100 * MiB;
  const digest = createHash("sha256");
  let produced = 0;
  let arrived = 0;
  let mostHeld = 0;
  const counting = new Proxy(bucket, {
    get: (target, name) =>
      name === "createMultipartUpload"
        ? async (...args: Parameters<R2Bucket["createMultipartUpload"]>) => {
            const upload = await target.createMultipartUpload(...args);
            return {
              abort: () => upload.abort(),
              complete: (parts: R2UploadedPart[]) => upload.complete(parts),
              async uploadPart(number: number, part: Uint8Array) {
                const done = await upload.uploadPart(number, part);
                arrived += part.length;
                return done;
              },
            };
          }
        : Reflect.get(target, name)?.bind(target),
  });
  const form = await readForm(
    request(function* () {
      yield opening();
      for (const chunk of content(sizeBytes)) {
        digest.update(chunk);
        produced += chunk.length;
        mostHeld = Math.max(mostHeld, produced - arrived);
        yield chunk;
      }
      yield closing;
    }),
    options(sizeBytes, counting),
  );
  const [file] = form.files.get("file")!;
  expect(file).toMatchObject({ name: "big.bin", size: sizeBytes });
  expect(await store.sha256((await file!.stored).id)).toBe(digest.digest("hex"));
  expect(mostHeld).toBeGreaterThan(PART_BYTES / 2);
  expect(mostHeld).toBeLessThan(16 * MiB);
});

describe("a body of 6 MiB", () => {
  const bodySize = 6 * MiB + 200;
  const body = () =>
    request(function* () {
      yield opening();
      yield* content(6 * MiB);
      yield closing;
    });

  test("is one object, and stays in memory, where there is room", async () => {
    const form = await readForm(body(), { ...options(), bodySize });
    const [file] = form.files.get("file")!;
    expect(file!.bytes?.length).toBe(6 * MiB);
    // The ETag in R2 contains the number of parts of a multipart object.
    expect((await file!.stored).etag).not.toContain("-");
  });

  test("comes in parts, and is fetched again, where others take the room until they have ended", async () => {
    const kept = createMemoryQuota({ perRequest: 8 * MiB, total: 8 * MiB });
    const other = kept.openReservation();
    expect(other.tryReserve(3 * MiB)).toBe(true);
    const crowded = await readForm(body(), { ...options(), bodySize, uploadReservation: kept.openReservation() });
    const [file] = crowded.files.get("file")!;
    expect(file!.bytes).toBeUndefined();
    expect((await file!.stored).etag).toMatch(/-2$/);
    other[Symbol.dispose]();
    const alone = await readForm(body(), { ...options(), bodySize, uploadReservation: kept.openReservation() });
    expect(alone.files.get("file")![0]!.bytes?.length).toBe(6 * MiB);
    await alone.files.get("file")![0]!.stored;
  });
});

test("300 files: stored one after the other, and of all together little stays in memory", async () => {
  const sizes = Array.from({ length: 300 }, (_, index) => (index % 10 === 0 ? 200_000 : 100 + index));
  const body = () =>
    request(function* () {
      for (const [index, size] of sizes.entries()) {
        if (index > 0) yield encode("\r\n");
        yield opening("file[]", `${index}.bin`);
        yield* content(size);
      }
      yield closing;
    });
  const form = await readForm(body(), { ...options(), maxFiles: 300 });
  const files = form.files.get("file")!;
  expect(files.map(({ name, size }) => [name, size])).toEqual(sizes.map((size, index) => [`${index}.bin`, size]));
  const buffers = new Set(files.flatMap(({ bytes }) => (bytes ? [bytes.buffer] : [])));
  expect([...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(2.5 * PART_BYTES);
  const stored = await Promise.all(files.map(({ stored }) => stored));
  expect(new Set(stored.map(({ id }) => id)).size).toBe(300);
  await expect(readForm(body(), { ...options(), maxFiles: 299 })).rejects.toMatchObject({ status: 400 });
  // Files of 200 kB are stored alone or with a few others, and the small files together.
  expect((await bucket.list()).objects.length).toBeLessThan(8);
});

test("fields of more than 4 MB together: 400", async () => {
  const field = (index: number) =>
    encode(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="f${index}"\r\n\r\n${"x".repeat(60_000)}\r\n`);
  const form = request(function* () {
    for (let index = 0; index < 80; index++) yield field(index);
    yield closing;
  });
  await expect(readForm(form, options())).rejects.toMatchObject({ status: 400 });
});

test("of a file of JSON a little more than a mebibyte is kept, however long it is, and nothing is stored", async () => {
  const form = await readForm(
    request(function* () {
      yield opening("settings", "settings.json");
      for (let index = 0; index < 400; index++) yield encode("☃".repeat(21_000));
      yield encode("\r\n");
      yield opening("settings", "");
      yield encode(`\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="after"\r\n\r\nit`);
      yield closing;
    }),
    options(),
  );
  const [text, ...more] = form.fields.get("settings")!;
  const { length } = encode(text!);
  expect([length > MiB, length <= MiB + 4, more]).toEqual([true, true, []]);
  expect(text).toMatch(/^☃+$/);
  expect(form.fields.get("after")).toEqual(["it"]);
  expect(await keysInBucket()).toEqual([]);
});

describe("a form that fails leaves nothing behind", () => {
  test.each([
    [
      "is too large",
      413,
      () =>
        request(function* () {
          yield opening();
          yield* content(13 * MiB);
          yield closing;
        }),
    ],
    [
      "ends in the middle",
      400,
      () =>
        request(function* () {
          yield opening();
          yield* content(7 * MiB);
        }),
    ],
    [
      "has a second file that is too large",
      413,
      () =>
        request(function* () {
          yield opening();
          yield* content(6 * MiB);
          yield encode("\r\n");
          yield opening();
          yield* content(13 * MiB);
          yield closing;
        }),
    ],
    [
      "breaks off, the client having gone",
      400,
      () =>
        request(function* () {
          yield opening();
          yield* content(11 * MiB);
          throw new Error("connection lost");
        }),
    ],
  ])("when it %s", async (_, status, make) => {
    await expect(readForm(make(), options(12 * MiB))).rejects.toMatchObject({ status });
    expect(await keysInBucket()).toEqual([]);
  });
});

test("exactly the largest size is accepted, at, below and above a part's size", async () => {
  for (const size of [0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES]) {
    const form = await readForm(
      request(function* () {
        yield opening();
        yield* content(size);
        yield closing;
      }),
      options(size),
    );
    expect(form.files.get("file")![0]!.size).toBe(size);
  }
});

test.each([
  ["filename*", `filename="resume.txt"; filename*=UTF-8''r%C3%A9sum%C3%A9.docx`, "résumé.docx"],
  ["filename* that comes first", `filename*=utf-8'fr'r%C3%A9sum%C3%A9.docx; filename="resume.txt"`, "résumé.docx"],
  ["filename* in another encoding", `filename=a.txt; filename*=iso-8859-1''%A3%20rates.docx`, "£ rates.docx"],
  ["filename* in quotation marks", `filename="a.txt"; filename*="UTF-8''b%3B.docx"`, "b;.docx"],
  ["filename if the other has no encoding", `filename="a.docx"; filename*=b.txt`, "a.docx"],
  ["filename if the other is no UTF-8", `filename="a.docx"; filename*=UTF-8''%E9.txt`, "a.docx"],
  ["filename if the other is in an unknown encoding", `filename="a;b.docx"; filename*=x-none''b.txt`, "a;b.docx"],
  ["filename if the other is empty", `filename*=UTF-8''; filename="a.docx"`, "a.docx"],
  ["filename with the other's letters", `filename="filename*=UTF-8''b.txt.docx"`, "filename=UTF-8''b.txt.docx"],
])("of two names of a file, %s counts", async (_, names, expected) => {
  const part = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; ${names}\r\n\r\nx`;
  const form = await readForm(
    request(function* () {
      yield encode(part);
      yield closing;
    }),
    options(),
  );
  expect(form.files.get("file")?.map(({ name }) => name)).toEqual([expected]);
});

test.each([
  ["nested lists", `{"id": ${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}, "output": "a"}`],
  ["nested objects that do not end", '{"output": '.repeat(100_000)],
  ["many lists", `{"id": [${"[],".repeat(1_000_000)}[]]}`],
])("a JSON body that would take long is malformed: %s", async (_, body) => {
  const asked = new Request("http://service/", {
    ...{ method: "POST", body },
    headers: { "Content-Type": "application/json" },
  });
  await expect(readForm(asked, options())).rejects.toMatchObject({
    status: 400,
    message: "The request body is not a valid JSON object.",
  });
});

test.each([
  ["a number", "12345678901234567890"],
  ["an object", '{"a": "bcd"}'],
  ["a number in a list", "[123456]"],
  ["true", "true"],
])("a password in a JSON body cannot be %s", async (_, value) => {
  const read = (body: string) => {
    const headers = { "Content-Type": "application/json" };
    return readForm(new Request("http://service/", { method: "POST", body, headers }), options());
  };
  await expect(read(`{"password": ${value}}`)).rejects.toMatchObject({
    status: 400,
    message: "The value is not within the acceptable range for password.",
  });
  expect((await read(`{"password": "secret", "other": ${value}}`)).fields.get("password")).toEqual(["secret"]);
});

test("a file of which little has arrived takes no turn, and its form is given up when its client leaves", async () => {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const headers = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` };
  const stalling = new Request("http://service/", { method: "POST", body: readable, headers });
  const leaving = new AbortController();
  const given = { ...options(), uploadSemaphore: createSemaphore({ concurrency: 1, maxQueued: 0, maxWaitMs: 10_000 }) };
  const stalled = readForm(stalling, { ...given, signal: leaving.signal });
  await writer.write(opening());
  await writer.write(new Uint8Array(100));
  const other = await readForm(
    request(function* () {
      yield opening();
      yield* content(100_000);
      yield closing;
    }),
    given,
  );
  expect(other.files.get("file")?.[0]?.size).toBe(100_000);
  leaving.abort(new Error("gone"));
  await writer.abort(new Error("gone")).catch(() => {});
  await expect(stalled).rejects.toThrow("gone");
});

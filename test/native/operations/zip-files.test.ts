// Opens archives of every kind with five other programs: Info-ZIP, Python, 7-Zip, libarchive and, as a stream, fflate.
// Contract: docs/api.md#zip
import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  createReadStream,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, crc32, deflateRawSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import type { Input } from "../../../src/document/contract/operation.ts";
import { centralDirectory, dataDescriptor, localHeader, METHOD } from "../../../src/document/formats/zip/records.ts";
import { zipFiles } from "../../../src/operations/zip-files.ts";
import { readStreamedZip } from "../../support/streamed-zip.ts";

const MiB = 2 ** 20;
/** An offset that needs more than 32 bits. */
const FAR = 4.5 * 2 ** 30;
/** 4 GiB and 16 MiB of zeros. */
const ZEROS = { bytes: 257 * 2 ** 24, crc32: 0x44af3ba2 };
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "zip-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const context = { signal: new AbortController().signal, heapLimitBytes: 0, defer: () => {}, log: () => {} };

function input(name: string, bytes: Uint8Array | string, modified?: Date): Input {
  const content = Buffer.from(bytes as Uint8Array);
  return {
    name,
    size: content.length,
    ...(modified ? { modified } : {}),
    bytes: async () => content,
    async *stream() {
      // Reuses its buffer, as a stream of R2 does.
      const buffer = new Uint8Array(40_000);
      for (let at = 0; at < content.length; at += buffer.length) {
        const part = content.subarray(at, at + buffer.length);
        buffer.set(part);
        yield buffer.subarray(0, part.length);
      }
    },
  };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** @returns the path of the archive */
async function zip(inputs: readonly Input[], name = "a.zip"): Promise<string> {
  const path = join(folder, name);
  const file = openSync(path, "w");
  for await (const { extension, type, body } of zipFiles.run(inputs, {}, context)) {
    expect([extension, type]).toEqual(["zip", "application/zip"]);
    for await (const chunk of body as AsyncIterable<Uint8Array>) writeSync(file, chunk);
  }
  closeSync(file);
  return path;
}

const PYTHON = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
bad = archive.testzip()
print(json.dumps([{"name": i.filename, "size": i.file_size, "compressed": i.compress_size, "method": i.compress_type, "flags": i.flag_bits,
  "time": i.date_time, "mode": i.external_attr >> 16, "offset": i.header_offset} for i in archive.infolist()] if bad is None else bad))
`;

interface Listed {
  readonly name: string;
  readonly size: number;
  readonly compressed: number;
  readonly method: number;
  readonly flags: number;
  readonly time: readonly number[];
  readonly mode: number;
  readonly offset: number;
}

/** Returns the list of entries, after four programs have read their data without an error. */
function list(path: string): Listed[] {
  const unzip = spawnSync("unzip", ["-tq", path], { encoding: "utf8" });
  expect([unzip.status, unzip.stderr]).toEqual([0, ""]);
  const seven = spawnSync("7zz", ["t", path], { encoding: "utf8" });
  expect([seven.status, /Everything is Ok/.test(seven.stdout), /Warning/.test(seven.stdout)]).toEqual([0, true, false]);
  // Reads from a pipe, so only local headers and descriptors are available.
  const bsdtar = spawnSync("sh", ["-c", 'cat "$0" | bsdtar -tf - >/dev/null', path], { encoding: "utf8" });
  expect([bsdtar.status, bsdtar.stderr]).toEqual([0, ""]);
  return JSON.parse(execFileSync("python3", ["-c", PYTHON, path], { encoding: "utf8", maxBuffer: 64 * MiB }));
}

const content = (path: string, name: string) =>
  execFileSync(
    "python3",
    ["-c", "import sys,zipfile;sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))", path, name],
    {
      maxBuffer: 64 * MiB,
    },
  );

describe("data", () => {
  test("small and large, empty and dense, come out as they went in", async () => {
    const text = Buffer.from("The quick brown fox jumps over the lazy dog. ".repeat(60_000));
    const files = [
      input("empty.txt", ""),
      input("one.txt", "1"),
      input("text.txt", text),
      input("small.txt", text.subarray(0, 10_000)),
      input("random.bin", randomBytes(3 * MiB)),
      input("small-random.bin", randomBytes(1000)),
      input("exactly.bin", text.subarray(0, 2 ** 19)),
      input("one-more.bin", text.subarray(0, 2 ** 19 + 1)),
    ];
    const path = await zip(files);
    const listed = list(path);
    expect(listed.map(({ name }) => name)).toEqual(files.map(({ name }) => name));
    const streamed = await readStreamedZip(createReadStream(path));
    expect([...streamed.keys()]).toEqual(files.map(({ name }) => name));
    for (const file of files) {
      expect(content(path, file.name).equals(await file.bytes())).toBe(true);
      expect(Buffer.compare(streamed.get(file.name)!, await file.bytes())).toBe(0);
    }
    const method = Object.fromEntries(listed.map(({ name, method }) => [name, method]));
    expect(method).toEqual({
      ...{ "empty.txt": 0, "one.txt": 0, "text.txt": 8, "small.txt": 8, "random.bin": 0, "small-random.bin": 0 },
      ...{ "exactly.bin": 8, "one-more.bin": 8 },
    });
  });

  test("compressed types are stored by their content, whatever their name is", async () => {
    const zeros = new Uint8Array(MiB);
    const starts = { jpeg: "\xff\xd8\xff", png: "\x89PNG\r\n\x1a\n", gif: "GIF89a", zip: "PK\x03\x04", text: "text" };
    const path = await zip(
      Object.entries(starts).map(([name, start]) =>
        input(`${name}.txt`, Buffer.concat([Buffer.from(start, "latin1"), zeros])),
      ),
    );
    expect(list(path).map(({ method }) => method)).toEqual([0, 0, 0, 0, 8]);
  });

  test("stored entries have their sizes in front, so that a stream can be read", async () => {
    const path = await zip([input("random.bin", randomBytes(MiB)), input("text.txt", "a".repeat(MiB))]);
    expect(list(path).map(({ flags }) => flags & 8)).toEqual([0, 8]);
  });

  test("no file is no mistake", async () => {
    const path = await zip([]);
    expect(JSON.parse(execFileSync("python3", ["-c", PYTHON, path], { encoding: "utf8" }))).toEqual([]);
  });

  test("an input that is shorter than it says is a failure, not an archive that is wrong", async () => {
    const short = { ...input("a.txt", "abc"), size: 10 };
    await expect(zip([short])).rejects.toBeInstanceOf(EngineFailure);
  });
});

describe("names", () => {
  const namesOf = async (...names: string[]) =>
    list(await zip(names.map((name) => input(name, "x")))).map(({ name }) => name);

  test("equal names are told apart", async () => {
    expect(await namesOf("a.pdf", "a.pdf", "a.pdf", "a (2).pdf", "b", "b")).toEqual([
      ...["a.pdf", "a (2).pdf", "a (3).pdf", "a (2) (2).pdf", "b", "b (2)"],
    ]);
    expect(await namesOf("a (2).pdf", "a.pdf", "a.pdf")).toEqual(["a (2).pdf", "a.pdf", "a (3).pdf"]);
  });

  test("so are those that differ in the case of letters, or in how accents are written", async () => {
    expect(await namesOf("A.pdf", "a.PDF", "é.pdf", "e\u0301.pdf")).toEqual([
      "A.pdf",
      "a (2).PDF",
      "é.pdf",
      "é (2).pdf",
    ]);
  });

  test.each([
    ["../../etc/passwd", "passwd"],
    ["/etc/passwd", "passwd"],
    ["..\\..\\windows\\win.ini", "win.ini"],
    ["C:\\a.txt", "a.txt"],
    ["a\u0000b\nc.txt", "abc.txt"],
    ["..", "file"],
    ["", "file"],
    ["CON", "_CON"],
    ["nul.txt", "_nul.txt"],
    ["com1.tar.gz", "_com1.tar.gz"],
    ["console.txt", "console.txt"],
    ['a<b>c:"d|e?f*.txt', "abcdef.txt"],
    ["trailing. . .", "trailing"],
    ["grün 日本 🙂.txt", "grün 日本 🙂.txt"],
  ])("%j becomes %j", async (name, expected) => {
    expect(await namesOf(name)).toEqual([expected]);
  });

  test("what unzip makes of them lies in its folder", async () => {
    const path = await zip(["../../up", "/root", "a/../../b", "日本.txt"].map((name) => input(name, "x")));
    execFileSync("unzip", ["-q", path, "-d", join(folder, "out")], { env: { ...process.env, LC_ALL: "C.UTF-8" } });
    expect(readdirSync(join(folder, "out")).sort()).toEqual(["b", "root", "up", "日本.txt"]);
    execFileSync("bsdtar", ["-xf", path, "-C", folder, "日本.txt"], { env: { ...process.env, LC_ALL: "C.UTF-8" } });
    expect(readFileSync(join(folder, "日本.txt"), "utf8")).toBe("x");
  });
});

test("modification times, as readers of both kinds see them", async () => {
  const path = await zip([
    input("a.txt", "a", new Date("2024-02-29T13:45:58Z")),
    input("old.txt", "a", new Date("1970-01-02T00:00:00Z")),
  ]);
  expect(list(path).map(({ time }) => time)).toEqual([
    [2024, 2, 29, 13, 45, 58],
    [1980, 1, 1, 0, 0, 0],
  ]);
  const shown = execFileSync("bsdtar", ["-tvf", path], {
    encoding: "utf8",
    env: { ...process.env, TZ: "UTC", LC_ALL: "C" },
  });
  expect(shown).toMatch(/Feb 29\s+2024 a\.txt/);
  expect(shown).toMatch(/Jan\s+2\s+1970 old\.txt/);
  expect(list(path)[0]!.mode).toBe(0o100644);
});

describe("beyond the limits of 32 and 16 bits", () => {
  test("66,000 entries", async () => {
    const path = await zip(Array.from({ length: 66_000 }, (_, index) => input(`${index}.txt`, "x")));
    expect(list(path)).toHaveLength(66_000);
  });

  test("an entry of more than 4 GiB whose sizes stand behind it, and one beyond it", () => {
    const uncompressed = ZEROS.bytes;
    // A block that ends on a byte boundary and has no back-references can be repeated (RFC 1951, 3.2.4, and zlib's
    // Z_FULL_FLUSH).
    const block = deflateRawSync(new Uint8Array(16 * MiB), { finishFlush: constants.Z_FULL_FLUSH });
    const end = Buffer.from([3, 0]);
    const repeats = uncompressed / (16 * MiB);
    const head = { name: "zeros.bin", method: METHOD.deflated, modified: new Date(), streamed: true, large: true };
    const sizes = { crc32: ZEROS.crc32, compressed: repeats * block.length + end.length, uncompressed };
    const path = join(folder, "large.zip");
    const file = openSync(path, "w");
    const write = (bytes: Uint8Array) => writeSync(file, bytes, 0, bytes.length);
    write(localHeader(head));
    for (let count = 0; count < repeats; count++) write(block);
    write(end);
    write(dataDescriptor(head, sizes));
    // An entry that follows a large hole in the file.
    const small = { ...head, name: "far.txt", method: METHOD.stored, streamed: false, large: false };
    const smallSizes = { crc32: crc32("far"), compressed: 3, uncompressed: 3 };
    const tail = Buffer.concat([
      ...[localHeader(small, smallSizes), Buffer.from("far")],
      ...centralDirectory(
        [
          { ...head, ...sizes, offset: 0 },
          { ...small, ...smallSizes, offset: FAR },
        ],
        FAR + localHeader(small, smallSizes).length + 3,
      ),
    ]);
    writeSync(file, tail, 0, tail.length, FAR);
    closeSync(file);
    const listed = JSON.parse(
      execFileSync("python3", ["-c", PYTHON.replace("archive.testzip()", "None"), path], { encoding: "utf8" }),
    ) as Listed[];
    expect(listed.map(({ name, size, offset }) => [name, size, offset])).toEqual([
      ["zeros.bin", uncompressed, 0],
      ["far.txt", 3, FAR],
    ]);
    expect(content(path, "far.txt").toString()).toBe("far");
    const tested = spawnSync("unzip", ["-tq", path, "far.txt"], { encoding: "utf8" });
    expect([tested.status, tested.stderr]).toEqual([0, ""]);
    const streamed = spawnSync("sh", ["-c", 'head -c 20000000 "$0" | bsdtar -xOf - zeros.bin | wc -c', path], {
      encoding: "utf8",
    });
    expect(Number(streamed.stdout)).toBe(uncompressed);
  });
});

test("a job that is over stops between two files", async () => {
  const over = new AbortController();
  const first = {
    ...input("a.txt", "a"),
    async *stream() {
      over.abort(new Error("over"));
      yield Buffer.from("a");
    },
  };
  const [output] = await collect(zipFiles.run([first, input("b.txt", "b")], {}, { ...context, signal: over.signal }));
  await expect(collect(output!.body as AsyncIterable<Uint8Array>)).rejects.toThrow("over");
});

// Tests that damaged parts of Office documents are found, and that a hostile directory does not cause a part to be read
// often.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { examine } from "../preparation/package.ts";
import { ZipFile } from "../preparation/zip-file.ts";

const folder = await mkdtemp(join(tmpdir(), "packages-"));
afterAll(() => rm(folder, { recursive: true }));

interface Stored {
  readonly name: string;
  readonly content: Buffer;
  readonly packed: Buffer;
}

/** Builds a package (APPNOTE.TXT 4.3). With `isOnePlace`, all directory entries have the offset of the first part. */
async function packageOf(parts: readonly Stored[], isOnePlace = false): Promise<string> {
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const { name, content, packed } of parts) {
    const header = Buffer.alloc(26);
    header.writeUInt16LE(8, 4);
    header.writeUInt32LE(crc32(content), 10);
    header.writeUInt32LE(packed.length, 14);
    header.writeUInt32LE(content.length, 18);
    header.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(isOnePlace ? 0 : at, 10);
    entries.push(Buffer.concat([Buffer.from("PK\x01\x02\0\0"), header, place, Buffer.from(name)]));
    if (isOnePlace && at > 0) continue;
    const body = Buffer.concat([Buffer.from("PK\x03\x04"), header, Buffer.from(name), packed]);
    bodies.push(body);
    at += body.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  const path = join(folder, `${Math.random()}.docx`);
  await writeFile(path, Buffer.concat([...bodies, directory, end]));
  return path;
}

const part = (name: string, text: string): Stored => {
  const content = Buffer.from(text);
  return { name, content, packed: deflateRawSync(content) };
};

async function damagedPart(path: string): Promise<string | undefined> {
  await using zip = await ZipFile.open(path);
  return (await examine(zip!)).damaged;
}

test("a part of markup that is not what it was is named", async () => {
  const sound = part("a.xml", "<a/>");
  const damaged = { ...part("b.xml", "<b/>"), packed: Buffer.from([0xff, 0xff]) };
  const picture = { ...damaged, name: "c.png" };
  expect(await damagedPart(await packageOf([sound, damaged]))).toBe("b.xml");
  expect(await damagedPart(await packageOf([sound, picture]))).toBeUndefined();
});

test("a part that a directory names many thousand times is not read as often", async () => {
  // Empty blocks (RFC 1951, 3.2.4): many bytes to decompress, without output.
  const nothing = Buffer.from([0, 0, 0, 0xff, 0xff]);
  const packed = Buffer.concat([...new Array<Buffer>(800_000).fill(nothing), deflateRawSync("x")]);
  const parts = Array.from({ length: 40_000 }, () => ({ name: "a.xml", content: Buffer.from("x"), packed }));
  expect(await damagedPart(await packageOf(parts, true))).toBeUndefined();
});

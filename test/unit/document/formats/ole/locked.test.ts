// Tests the detection of Office documents with a password, for any division of the file into pieces.
import { expect, test } from "vitest";
import { isPasswordProtected } from "../../../../../src/document/formats/ole/locked.ts";

const SECTOR = 512;

/** Returns a compound file that has the given bytes at the given offsets, and otherwise meaningless sectors. */
function compound(...parts: readonly (readonly [at: number, bytes: Buffer])[]): Buffer {
  const file = Buffer.alloc(40 * SECTOR, 0x2e);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(file);
  for (const [at, bytes] of parts) bytes.copy(file, at);
  return file;
}

async function* piecesOf(file: Buffer, size: number) {
  for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size);
}

const PACKAGE = Buffer.from("EncryptedPackage", "utf16le");
const word = (flags: number) => {
  const start = Buffer.alloc(32);
  start.writeUInt16LE(0xa5ec, 0);
  start.writeUInt16LE(flags, 10);
  return start;
};
const workbook = (second: number) => {
  const start = Buffer.alloc(32);
  Buffer.from("0908100000060500", "hex").copy(start);
  start.writeUInt16LE(second, 20);
  return start;
};

test.each([
  ["a package within a sector", compound([9 * SECTOR + 128, PACKAGE]), true],
  ["a package across sectors", compound([10 * SECTOR - 13, PACKAGE]), true],
  ["a text", compound([7 * SECTOR, word(0x1300)]), true],
  ["a workbook", compound([4 * SECTOR, workbook(0x2f)]), true],
  ["an open text", compound([7 * SECTOR, word(0x1200)]), false],
  ["an open workbook", compound([4 * SECTOR, workbook(0xe1)]), false],
  ["the beginning of a text within a sector", compound([7 * SECTOR + 16, word(0x1300)]), false],
  ["another file", Buffer.concat([Buffer.alloc(SECTOR), PACKAGE]), false],
  ["an empty file", Buffer.alloc(0), false],
] as const)("%s", async (_, file, expected) => {
  for (const size of [100_000, 4096, 1000, 512, 13]) {
    expect([size, await isPasswordProtected(piecesOf(file, size))]).toEqual([size, expected]);
  }
});

// Tests the decryption of Office Open XML packages, with packages that are encrypted here as the specification says.
import { createCipheriv, createHash } from "node:crypto";
import { expect, test } from "vitest";
import { decryptedPackage } from "../../../../../src/document/formats/ole/encrypted-package.ts";

const SECTOR = 512;
const PASSWORD = "Grüße";
/** Longer than a segment, and not a multiple of a block. */
const CONTENT = Buffer.from("PK and the rest of a package. ".repeat(300));

const number = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const digest = (hash: string, ...parts: Buffer[]) => createHash(hash).update(Buffer.concat(parts)).digest();
const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 15)]);
const spun = (hash: string, start: Buffer, times: number) =>
  Array.from({ length: times }).reduce<Buffer>((last, _, time) => digest(hash, number(time), last), start);

function encrypted(mode: "cbc" | "ecb", key: Buffer, iv: Buffer | null, bytes: Buffer): Buffer {
  const cipher = createCipheriv(`aes-${8 * key.length}-${mode}`, key, iv).setAutoPadding(false);
  return Buffer.concat([cipher.update(padded(bytes)), cipher.final()]);
}

/** Returns a compound file ([MS-CFB]) with streams that have their own sectors. */
function compound(streams: Readonly<Record<string, Buffer>>): Buffer {
  const directory = Buffer.alloc(SECTOR, 0);
  const next = [0xfffffffd, 0xfffffffe];
  const sectors = Object.entries(streams).map(([name, content], index) => {
    const at = 128 * (index + 1);
    directory.writeUInt32LE(next.length, at + 116);
    directory.writeUInt32LE(content.length, at + 120);
    const count = Math.ceil(content.length / SECTOR);
    for (let sector = 1; sector < count; sector++) next.push(next.length + 1);
    next.push(0xfffffffe);
    directory.write(name, at, "utf16le");
    directory.writeUInt16LE(2 * name.length + 2, at + 64);
    directory[at + 66] = 2;
    return Buffer.concat([content, Buffer.alloc(count * SECTOR - content.length)]);
  });
  directory[66] = 5;
  for (const at of [0, 128, 256]) for (const link of [68, 72, 76]) directory.writeUInt32LE(0xffffffff, at + link);
  directory.writeUInt32LE(1, 76);
  directory.writeUInt32LE(2, 128 + 72);
  directory.writeUInt32LE(0xfffffffe, 116);
  const header = Buffer.alloc(SECTOR, 0xff);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(header);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  for (const [at, value] of [
    [48, 1],
    [56, 0],
    [60, 0xfffffffe],
    [76, 0],
  ] as const)
    header.writeUInt32LE(value, at);
  const table = Buffer.concat(next.map(number));
  return Buffer.concat([header, table, Buffer.alloc(SECTOR - table.length, 0xff), directory, ...sectors]);
}

const sized = (content: Buffer) => Buffer.concat([number(CONTENT.length), number(0), content]);

/** [MS-OFFCRYPTO] 2.3.4.10. */
function agile(declared = 10): Buffer {
  const [salt, dataSalt, secret, input] = ["salt", "data", "key", "input"].map((text) =>
    digest("md5", Buffer.from(text)),
  );
  const start = digest("sha512", salt!, Buffer.from(PASSWORD, "utf16le"));
  const lock = (blockKey: string, value: Buffer) => {
    const key = digest("sha512", spun("sha512", start, 10), Buffer.from(blockKey, "hex")).subarray(0, 16);
    return encrypted("cbc", key, salt!, value).toString("base64");
  };
  const segments = Array.from({ length: Math.ceil(CONTENT.length / 4096) }, (_, at) =>
    encrypted(
      "cbc",
      secret!,
      digest("sha512", dataSalt!, number(at)).subarray(0, 16),
      CONTENT.subarray(4096 * at, 4096 * (at + 1)),
    ),
  );
  const kind =
    'blockSize="16" keyBits="128" cipherAlgorithm="AES" cipherChaining="ChainingModeCBC" hashAlgorithm="SHA512"';
  const verifier = lock("fea7d2763b4b9e79", input!);
  const verified = lock("d7aa0f6d3061344e", digest("sha512", input!));
  const xml = `<encryption><keyData ${kind} saltValue="${dataSalt!.toString("base64")}"/><p:encryptedKey spinCount="${declared}" ${kind} saltValue="${salt!.toString("base64")}" encryptedVerifierHashInput="${verifier}" encryptedVerifierHashValue="${verified}" encryptedKeyValue="${lock("146e0be7abacd0d6", secret!)}"/></encryption>`;
  const info = Buffer.concat([number(0x40004), number(0x40), Buffer.from(xml)]);
  return compound({ EncryptionInfo: info, EncryptedPackage: sized(Buffer.concat(segments)) });
}

/** [MS-OFFCRYPTO] 2.3.4.5. @param algorithm AES of 128 bits, or another algorithm */
function standard(algorithm = 0x660e): Buffer {
  const salt = digest("md5", Buffer.from("salt"));
  const last = spun("sha1", digest("sha1", salt, Buffer.from(PASSWORD, "utf16le")), 50_000);
  const hashed = digest("sha1", last, number(0));
  const key = digest(
    "sha1",
    Buffer.from(Uint8Array.from({ length: 64 }, (_, at) => 0x36 ^ (hashed[at] ?? 0))),
  ).subarray(0, 16);
  const lock = (value: Buffer) => encrypted("ecb", key, null, value);
  const header = Buffer.concat([0x24, 0, algorithm, 0x8004, 128, 0x18, 0, 0].map(number));
  const verifier = [number(16), salt, lock(salt), number(20), lock(digest("sha1", salt))];
  const info = Buffer.concat([number(0x20004), number(0x24), number(header.length), header, ...verifier]);
  return compound({ EncryptionInfo: info, EncryptedPackage: sized(lock(CONTENT)) });
}

test.each([
  ["agile", agile()],
  ["standard", standard()],
])("%s encryption", (_, file) => {
  expect(decryptedPackage(file, PASSWORD)).toEqual(CONTENT);
  expect(() => decryptedPackage(file, "Gruße")).toThrow("password-protected");
});

test("other encryption, and files without it, are left to LibreOffice", () => {
  expect(decryptedPackage(standard(0x6801), PASSWORD)).toBeUndefined();
  expect(decryptedPackage(agile(20_000_000_000), PASSWORD)).toBeUndefined();
  expect(decryptedPackage(compound({ WordDocument: CONTENT }), PASSWORD)).toBeUndefined();
});

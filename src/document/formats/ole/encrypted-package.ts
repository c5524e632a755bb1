// Decrypts Office Open XML documents with a password ([MS-OFFCRYPTO]): agile encryption (2.3.4.10), and standard
// encryption with AES (2.3.4.5).

import { createDecipheriv, createHash, timingSafeEqual } from "node:crypto";
import { EngineFailure } from "../../contract/failure.ts";
import { CompoundFile } from "./compound.ts";

/** Length of the size before the encrypted bytes of the package (2.3.4.4). */
const SIZE_BYTES = 8;
/** Bytes that are encrypted together (2.3.4.15). */
const SEGMENT_BYTES = 4096;
/** The most iterations of the hash that Office allows (2.3.4.10). */
const MAX_SPINS = 10_000_000;
const STANDARD_SPINS = 50_000;
/** Constants that derive different keys from one password (2.3.4.13). */
const BLOCK_KEYS = { input: "fea7d2763b4b9e79", value: "d7aa0f6d3061344e", key: "146e0be7abacd0d6" };
const HASHES: Readonly<Record<string, string>> = {
  SHA1: "sha1",
  "SHA-1": "sha1",
  SHA256: "sha256",
  SHA384: "sha384",
  SHA512: "sha512",
};

/**
 * @returns the package; undefined for a file without an encrypted package, or with another encryption
 * @throws EngineFailure `password-protected` for a wrong password
 */
export function decryptedPackage(bytes: Uint8Array, password: string): Buffer | undefined {
  const { root } = new CompoundFile(bytes);
  const info = root.stream("EncryptionInfo");
  const encrypted = root.stream("EncryptedPackage");
  if (!info || !encrypted || info.length < SIZE_BYTES || encrypted.length < SIZE_BYTES) return undefined;
  const size = Number(encrypted.readBigUInt64LE(0));
  const content = encrypted.subarray(SIZE_BYTES);
  const isAgile = info.readUInt16LE(0) === 4 && info.readUInt16LE(2) === 4;
  const secret = Buffer.from(password, "utf16le");
  const opened = isAgile
    ? openAgile(info.toString("utf8", SIZE_BYTES), secret, content)
    : openStandard(info, secret, content);
  return opened?.subarray(0, size);
}

function openAgile(xml: string, secret: Buffer, content: Buffer): Buffer | undefined {
  const data = attributesOf(xml, "keyData");
  const own = attributesOf(xml, "encryptedKey");
  const hash = HASHES[own.hashAlgorithm ?? ""];
  const dataHash = HASHES[data.hashAlgorithm ?? ""];
  const isKnown = [data, own].every((one) => one.cipherAlgorithm === "AES" && one.cipherChaining === "ChainingModeCBC");
  const spins = Number(own.spinCount);
  if (!hash || !dataHash || !isKnown || !(spins <= MAX_SPINS)) return undefined;
  const salt = base64(own.saltValue);
  const spun = spin(hash, Buffer.concat([salt, secret]), spins);
  const unlock = (blockKey: string, value: string | undefined) => {
    const key = sized(digest(hash, spun, Buffer.from(blockKey, "hex")), Number(own.keyBits) / 8);
    return decipher("cbc", key, sized(salt, Number(own.blockSize)), base64(value));
  };
  const input = unlock(BLOCK_KEYS.input, own.encryptedVerifierHashInput).subarray(0, salt.length);
  requireEqual(digest(hash, input), unlock(BLOCK_KEYS.value, own.encryptedVerifierHashValue));
  const key = unlock(BLOCK_KEYS.key, own.encryptedKeyValue).subarray(0, Number(data.keyBits) / 8);
  const parts: Buffer[] = [];
  for (let at = 0; at < content.length; at += SEGMENT_BYTES) {
    const iv = sized(digest(dataHash, base64(data.saltValue), number32(at / SEGMENT_BYTES)), Number(data.blockSize));
    parts.push(decipher("cbc", key, iv, content.subarray(at, at + SEGMENT_BYTES)));
  }
  return Buffer.concat(parts);
}

/** Offsets in the stream, after the versions, the flags and the size of the header (2.3.2, 2.3.3). */
const HEADER = { start: 12, sizeAt: 8, algorithm: 8, keyBits: 16 };
const AES_ALGORITHMS = [0x660e, 0x660f, 0x6610];

function openStandard(info: Buffer, secret: Buffer, content: Buffer): Buffer | undefined {
  const verifier = HEADER.start + info.readUInt32LE(HEADER.sizeAt);
  if (info.readUInt16LE(2) !== 2 || verifier + 72 > info.length) return undefined;
  if (!AES_ALGORITHMS.includes(info.readUInt32LE(HEADER.start + HEADER.algorithm))) return undefined;
  const part = (from: number, bytes: number) => info.subarray(verifier + from, verifier + from + bytes);
  const spun = spin("sha1", Buffer.concat([part(4, 16), secret]), STANDARD_SPINS);
  const last = digest("sha1", spun, number32(0));
  const filled = (byte: number) =>
    digest(
      "sha1",
      Uint8Array.from({ length: 64 }, (_, at) => byte ^ (last[at] ?? 0)),
    );
  const keyBytes = info.readUInt32LE(HEADER.start + HEADER.keyBits) / 8;
  const key = Buffer.concat([filled(0x36), filled(0x5c)]).subarray(0, keyBytes);
  const unlock = (value: Buffer) => decipher("ecb", key, null, value);
  requireEqual(digest("sha1", unlock(part(20, 16))), unlock(part(40, 32)));
  return unlock(content);
}

/** Returns the attributes of the first element with this name, without entities: their values have none. */
function attributesOf(xml: string, element: string): Readonly<Record<string, string | undefined>> {
  const [tag = ""] = new RegExp(`<(?:\\w+:)?${element}\\s[^<>]*>`).exec(xml) ?? [];
  return Object.fromEntries([...tag.matchAll(/([\w:]+)\s*=\s*"([^"]*)"/g)].map(([, name, value]) => [name, value]));
}

const base64 = (text = "") => Buffer.from(text, "base64");

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const digest = (hash: string, ...parts: readonly Uint8Array[]): Buffer =>
  parts.reduce((sum, part) => sum.update(part), createHash(hash)).digest();

/** Hashes repeatedly, so that guesses are slow (2.3.4.11). */
function spin(hash: string, start: Buffer, times: number): Buffer {
  let last = digest(hash, start);
  for (let time = 0; time < times; time++) last = digest(hash, number32(time), last);
  return last;
}

/** Returns bytes of a length, truncated or filled with 0x36. */
const sized = (bytes: Buffer, length: number): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(Math.max(0, length - bytes.length), 0x36)]).subarray(0, length);

/** Decrypts whole blocks; a last part of one is left out. */
function decipher(mode: "cbc" | "ecb", key: Buffer, iv: Buffer | null, bytes: Buffer): Buffer {
  const decryption = createDecipheriv(`aes-${8 * key.length}-${mode}`, key, iv).setAutoPadding(false);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 16));
  return Buffer.concat([decryption.update(whole), decryption.final()]);
}

function requireEqual(expected: Buffer, found: Buffer): void {
  const isEqual = found.length >= expected.length && timingSafeEqual(expected, found.subarray(0, expected.length));
  if (!isEqual) throw new EngineFailure("password-protected", "the password is wrong");
}

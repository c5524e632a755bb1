// Tests PKCS #12 files that would take too long to open.

import { createCipheriv, pbkdf2Sync } from "node:crypto";
import { expect, test } from "vitest";
import { TAG } from "../../../../src/document/signing/der.ts";
import {
  element,
  identifier,
  integer,
  nothing,
  octets,
  sequence,
  tagged,
} from "../../../../src/document/signing/der-writer.ts";
import { UnknownEncryption } from "../../../../src/document/signing/password-encryption.ts";
import { openPkcs12 } from "../../../../src/document/signing/pkcs12.ts";

const PKCS7 = "1.2.840.113549.1.7";
const PKCS5 = "1.2.840.113549.1.5";
const number = (...bytes: readonly number[]) => element(TAG.integer, Buffer.from(bytes));
const BILLION = number(0x40, 0, 0, 0);

/** Returns the identifier of AES with a key that PBKDF2 derives. */
function scheme(...settings: readonly Uint8Array[]): Uint8Array {
  const derivation = sequence(identifier(`${PKCS5}.12`), sequence(octets(Buffer.alloc(8)), ...settings));
  const cipher = sequence(identifier("2.16.840.1.101.3.4.1.42"), octets(Buffer.alloc(16)));
  return sequence(identifier(`${PKCS5}.13`), sequence(derivation, cipher));
}

function encryptedKey(algorithm: Uint8Array, encrypted: Uint8Array = Buffer.alloc(16)): Uint8Array {
  const value = sequence(algorithm, octets(encrypted));
  return sequence(identifier("1.2.840.113549.1.12.10.1.2"), tagged(0, value));
}

function pkcs12(bags: readonly Uint8Array[], mac: readonly Uint8Array[] = []): Uint8Array {
  const data = (content: Uint8Array) => sequence(identifier(`${PKCS7}.1`), tagged(0, octets(content)));
  return sequence(integer(3), data(sequence(data(sequence(...bags)))), ...mac);
}

test.each([
  ["iterations", [BILLION]],
  ["no iterations", [integer(0)]],
  ["bytes of the key", [integer(1), BILLION]],
] as const)("limits the %s", (_, settings) => {
  expect(() => openPkcs12(pkcs12([encryptedKey(scheme(...settings))]), "secret")).toThrow(UnknownEncryption);
});

test("limits the bytes of the key that authenticates the file", () => {
  const derivation = sequence(identifier(`${PKCS5}.12`), sequence(octets(Buffer.alloc(8)), integer(1), BILLION));
  const hmac = sequence(identifier("1.2.840.113549.2.9"), nothing);
  const info = sequence(sequence(identifier(`${PKCS5}.14`), sequence(derivation, hmac)), octets(Buffer.alloc(32)));
  const mac = sequence(info, octets(Buffer.alloc(8)), integer(1));
  expect(() => openPkcs12(pkcs12([], [mac]), "secret")).toThrow(UnknownEncryption);
});

test("limits the encrypted parts", () => {
  const cipher = createCipheriv("aes-256-cbc", pbkdf2Sync("secret", Buffer.alloc(8), 1, 32, "sha1"), Buffer.alloc(16));
  const bag = encryptedKey(scheme(integer(1)), Buffer.concat([cipher.update("key"), cipher.final()]));
  expect(openPkcs12(pkcs12(Array(10).fill(bag)), "secret").keys).toHaveLength(10);
  expect(() => openPkcs12(pkcs12(Array(11).fill(bag)), "secret")).toThrow(UnknownEncryption);
});

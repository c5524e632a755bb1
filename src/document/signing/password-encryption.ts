// Decrypts what is encrypted with a password in PKCS #12 files: by the rules of PKCS #5 (RFC 8018), and by the older
// ones of PKCS #12 (RFC 7292, B and C).
import { createDecipheriv, createHash, pbkdf2Sync } from "node:crypto";
import {
  type AlgorithmIdentifier,
  type Element,
  elementsIn,
  InvalidAsn1,
  numberIn,
  octetsOf,
  readAlgorithm,
  TAG,
} from "./der.ts";
import { decryptRc2 } from "./rc2.ts";

/** The algorithm is unknown, or takes too long. */
export class UnknownEncryption extends Error {}
/** The decrypted bytes do not end as they should: most likely, the passphrase is wrong. */
export class WrongPassphrase extends Error {}

/** Names of message authentication codes (RFC 8018, B.1). */
export const MESSAGE_CODES: Readonly<Record<string, string>> = {
  "1.2.840.113549.2.7": "sha1",
  "1.2.840.113549.2.8": "sha224",
  "1.2.840.113549.2.9": "sha256",
  "1.2.840.113549.2.10": "sha384",
  "1.2.840.113549.2.11": "sha512",
};
interface Cipher {
  /** Name of the cipher in Node; undefined for RC2. */
  readonly name?: string;
  readonly keyBytes: number;
}
const TRIPLE_DES = { name: "des-ede3-cbc", keyBytes: 24 };
const PBES2 = "1.2.840.113549.1.5.13";
/** Ciphers of PBES2 (RFC 8018, B.2). */
const CIPHERS: Readonly<Record<string, Required<Cipher>>> = {
  "1.2.840.113549.3.7": TRIPLE_DES,
  "2.16.840.1.101.3.4.1.2": { name: "aes-128-cbc", keyBytes: 16 },
  "2.16.840.1.101.3.4.1.22": { name: "aes-192-cbc", keyBytes: 24 },
  "2.16.840.1.101.3.4.1.42": { name: "aes-256-cbc", keyBytes: 32 },
};
/** Ciphers of PKCS #12 (RFC 7292, C). */
const OLD_CIPHERS: Readonly<Record<string, Cipher>> = {
  "1.2.840.113549.1.12.1.3": TRIPLE_DES,
  "1.2.840.113549.1.12.1.4": { ...TRIPLE_DES, keyBytes: 16 },
  "1.2.840.113549.1.12.1.5": { keyBytes: 16 },
  "1.2.840.113549.1.12.1.6": { keyBytes: 5 },
};
const BLOCK_BYTES = 8;
/** Programs write 2,000 to 600,000 iterations. Those of PKCS #12 run in JavaScript. */
const MAX_ITERATIONS = 1_000_000;
const MAX_OLD_ITERATIONS = 200_000;
/** The longest key is that of a message authentication code. Each piece of a key takes all iterations. */
const MAX_KEY_BYTES = 128;
/** Kinds of derived keys (RFC 7292, B.3). */
const ENCRYPTION_KEY = 1;
const VECTOR = 2;

/** @throws WrongPassphrase, InvalidAsn1, UnknownEncryption */
export function decryptedBy(
  { identifier, parameters }: AlgorithmIdentifier,
  passphrase: string,
  bytes: Uint8Array,
): Uint8Array {
  const [first, second] = parameters ? elementsIn(parameters.content) : [];
  if (!first || !second) throw new InvalidAsn1();
  if (identifier === PBES2) return decryptedByScheme2(first, second, passphrase, bytes);
  const cipher = OLD_CIPHERS[identifier];
  if (!cipher) throw new UnknownEncryption();
  const given = { name: "sha1", salt: octetsOf(first), iterations: numberIn(second), passphrase };
  const key = oldKey({ ...given, kind: ENCRYPTION_KEY, length: cipher.keyBytes });
  const vector = oldKey({ ...given, kind: VECTOR, length: BLOCK_BYTES });
  if (cipher.name === undefined) return withoutPadding(decryptRc2(key, vector, bytes));
  const whole = key.length === TRIPLE_DES.keyBytes ? key : Buffer.concat([key, key.subarray(0, BLOCK_BYTES)]);
  return decrypted(cipher.name, whole, vector, bytes);
}

function decryptedByScheme2(derivation: Element, scheme: Element, passphrase: string, bytes: Uint8Array): Uint8Array {
  const [, settings] = elementsIn(derivation.content);
  const { identifier, parameters } = readAlgorithm(scheme);
  const cipher = CIPHERS[identifier];
  if (!cipher || !settings || !parameters) throw new UnknownEncryption();
  return decrypted(cipher.name, deriveKey(settings, passphrase, cipher.keyBytes), octetsOf(parameters), bytes);
}

/**
 * Derives a key with PBKDF2.
 * @param settings the parameters (RFC 8018, A.2)
 * @param keyBytes the length of the key, unless the parameters state it
 */
export function deriveKey({ content }: Element, passphrase: string, keyBytes: number): Uint8Array {
  const [salt, count, ...rest] = elementsIn(content);
  if (!salt || !count || salt.tag !== TAG.octets) throw new UnknownEncryption();
  const length = rest.find(({ tag }) => tag === TAG.integer);
  const code = rest.find(({ tag }) => tag === TAG.sequence);
  const name = code ? MESSAGE_CODES[readAlgorithm(code).identifier] : "sha1";
  const iterations = numberIn(count);
  const bytes = length ? numberIn(length) : keyBytes;
  const isBounded = iterations >= 1 && iterations <= MAX_ITERATIONS && bytes >= 1 && bytes <= MAX_KEY_BYTES;
  if (!name || !isBounded) throw new UnknownEncryption();
  return pbkdf2Sync(passphrase, octetsOf(salt), iterations, bytes, name);
}

interface OldDerivation {
  /** Name of the digest. */
  readonly name: string;
  /** The purpose of the key (RFC 7292, B.3). */
  readonly kind: number;
  readonly salt: Uint8Array;
  readonly iterations: number;
  readonly passphrase: string;
  /** In bytes. @default the length of the digest */
  readonly length?: number;
}

/** Derives a key by the rules of PKCS #12 (RFC 7292, B.2). @throws UnknownEncryption */
export function oldKey({ name, kind, salt, iterations, passphrase, length }: OldDerivation): Uint8Array {
  if (iterations > MAX_OLD_ITERATIONS || iterations < 1) throw new UnknownEncryption();
  const blockBytes = name === "sha384" || name === "sha512" ? 128 : 64;
  const password = Buffer.from(`${passphrase}\0`, "utf16le").swap16();
  const input = Buffer.concat([repeated(salt, blockBytes), repeated(password, blockBytes)]);
  const purpose = Buffer.alloc(blockBytes, kind);
  const pieces: Uint8Array[] = [];
  for (let have = 0; have < (length ?? 1); have += pieces.at(-1)!.length) {
    let digest: Uint8Array = createHash(name).update(purpose).update(input).digest();
    for (let round = 1; round < iterations; round++) digest = createHash(name).update(digest).digest();
    pieces.push(digest);
    const added = repeated(digest, blockBytes).subarray(0, blockBytes);
    for (let at = 0; at < input.length; at += blockBytes) addOne(input.subarray(at, at + blockBytes), added);
  }
  return Buffer.concat(pieces).subarray(0, length);
}

/** Returns copies of the bytes that fill whole blocks. */
const repeated = (bytes: Uint8Array, blockBytes: number): Buffer =>
  Buffer.alloc(Math.ceil(bytes.length / blockBytes) * blockBytes, bytes);

/** Adds a number and 1 to a number of the same length. */
function addOne(number: Uint8Array, added: Uint8Array): void {
  let carry = 1;
  for (let at = number.length - 1; at >= 0; at--) {
    carry += number[at]! + added[at]!;
    number[at] = carry & 255;
    carry >>= 8;
  }
}

function decrypted(name: string, key: Uint8Array, vector: Uint8Array, bytes: Uint8Array): Uint8Array {
  try {
    const decipher = createDecipheriv(name, key, vector).setAutoPadding(false);
    return withoutPadding(Buffer.concat([decipher.update(bytes), decipher.final()]));
  } catch (error) {
    if (error instanceof WrongPassphrase) throw error;
    throw new InvalidAsn1();
  }
}

/** Removes the padding, whose bytes are its length (RFC 8018, 6.1.1). */
function withoutPadding(bytes: Uint8Array): Uint8Array {
  const length = bytes.at(-1) ?? 0;
  if (length < 1 || length > bytes.length || bytes.subarray(-length).some((byte) => byte !== length)) {
    throw new WrongPassphrase();
  }
  return bytes.subarray(0, bytes.length - length);
}

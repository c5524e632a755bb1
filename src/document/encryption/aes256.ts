// Encryption of a document with AES-256, revision 6 of the standard security handler (ISO 32000-2, 7.6.4).
import { createCipheriv, createHash, createSecretKey } from "node:crypto";
import { prepared } from "./password-forms.ts";

const KEY_BYTES = 32;
const SALT_BYTES = 8;
const BLOCK_BYTES = 16;
const MAX_PASSWORD_BYTES = 127;
/** Number of copies of the data that a round of algorithm 2.B encrypts, and the minimum number of rounds. */
const COPIES = 64;
const MIN_ROUNDS = 64;
const HASHES = ["sha256", "sha384", "sha512"] as const;

export interface Protection {
  readonly openPassword: string;
  readonly permissionsPassword: string;
  /** The entry `P`. */
  readonly permissions: number;
}

/** The entries of an encryption dictionary that depend on passwords (ISO 32000-2, table 21). */
export interface KeyEntries {
  readonly O: Uint8Array;
  readonly OE: Uint8Array;
  readonly U: Uint8Array;
  readonly UE: Uint8Array;
  readonly P: number;
  readonly Perms: Uint8Array;
}

/** Encrypts the strings and streams of one document. */
export class Aes256 {
  readonly entries: KeyEntries;
  readonly #key = random(KEY_BYTES);
  readonly #keyObject = createSecretKey(this.#key);

  /** Creates a random key, and encrypts it with both passwords (algorithms 8, 9 and 10). */
  constructor({ openPassword, permissionsPassword, permissions }: Protection) {
    const [U, UE] = this.#lock(bytesOf(openPassword), new Uint8Array(0));
    const [O, OE] = this.#lock(bytesOf(permissionsPassword), U);
    this.entries = { O, OE, U, UE, P: permissions, Perms: this.#confirmed(permissions) };
  }

  /** Returns the encrypted bytes after a random initialization vector (algorithm 1.A). */
  seal(bytes: Uint8Array): Uint8Array {
    const start = random(BLOCK_BYTES);
    const cipher = createCipheriv("aes-256-cbc", this.#keyObject, start);
    return Buffer.concat([start, cipher.update(bytes), cipher.final()]);
  }

  #lock(password: Uint8Array, userEntry: Uint8Array): readonly [entry: Uint8Array, lockedKey: Uint8Array] {
    const [validation, keySalt] = [random(SALT_BYTES), random(SALT_BYTES)];
    const entry = Buffer.concat([hardenedHash(password, validation, userEntry), validation, keySalt]);
    const key = hardenedHash(password, keySalt, userEntry);
    return [entry, encrypt("aes-256-cbc", key, new Uint8Array(BLOCK_BYTES), this.#key)];
  }

  #confirmed(permissions: number): Uint8Array {
    const plain = Buffer.concat([new Uint8Array(8).fill(0xff), Buffer.from("Tadb", "latin1"), random(4)]);
    plain.writeInt32LE(permissions, 0);
    return encrypt("aes-256-ecb", this.#key, null, plain);
  }
}

/** Hashes a password with a salt (algorithm 2.B). @param userEntry the entry `U` for a permissions password, or nothing */
function hardenedHash(password: Uint8Array, salt: Uint8Array, userEntry: Uint8Array): Uint8Array {
  let key: Uint8Array = createHash("sha256").update(password).update(salt).update(userEntry).digest();
  let lastByte = 0;
  for (let round = 0; round < MIN_ROUNDS || lastByte > round - 32; round++) {
    const once = Buffer.concat([password, key, userEntry]);
    const repeated = Buffer.alloc(COPIES * once.length, once);
    const encrypted = encrypt("aes-128-cbc", key.subarray(0, 16), key.subarray(16, 32), repeated);
    // The first 16 bytes as a number modulo 3 equal the sum of the bytes modulo 3, because 256 mod 3 is 1.
    const remainder = encrypted.subarray(0, BLOCK_BYTES).reduce((sum, byte) => sum + byte, 0) % HASHES.length;
    key = createHash(HASHES[remainder]!).update(encrypted).digest();
    lastByte = encrypted.at(-1)!;
  }
  return key.subarray(0, KEY_BYTES);
}

/** Encrypts whole blocks, so that `final` would return nothing. */
function encrypt(algorithm: string, key: Uint8Array, start: Uint8Array | null, whole: Uint8Array): Uint8Array {
  // Node takes three times as long for a key of plain bytes.
  return createCipheriv(algorithm, createSecretKey(key), start).setAutoPadding(false).update(whole);
}

/** Reports whether readers cannot tell two passwords of a document apart. */
export const areSamePassword = (one: string, other: string): boolean =>
  Buffer.compare(bytesOf(one), bytesOf(other)) === 0;

const bytesOf = (password: string): Uint8Array =>
  new TextEncoder().encode(prepared(password)).subarray(0, MAX_PASSWORD_BYTES);

const random = (size: number): Uint8Array => crypto.getRandomValues(new Uint8Array(size));

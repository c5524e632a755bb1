// Decrypts entries of zip archives: ZipCrypto (APPNOTE.TXT 6.1), and AES as WinZip writes it (AE-1 and AE-2).
import { createCipheriv, createHmac, pbkdf2Sync, timingSafeEqual } from "node:crypto";
import { EngineFailure } from "../../contract/failure.ts";
import type { AesForm } from "./contents.ts";

/** Decrypts consecutive parts of one entry. */
export interface Decryptor {
  /** Bytes before the data, and after them. */
  readonly before: number;
  readonly after: number;
  /** @throws EngineFailure `password-protected` if the password is wrong */
  start(header: Uint8Array): void;
  decrypt(bytes: Uint8Array): Uint8Array;
  /** @throws EngineFailure `damaged` if the data were changed */
  end(trailer: Uint8Array): void;
}

const wrongPassword = () => new EngineFailure("password-protected", "the password is wrong");

const ZIPCRYPTO_HEADER_BYTES = 12;
const POLYNOMIAL = 0xedb88320;
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});
const crcOf = (crc: number, byte: number): number => (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 255]!;

export class ZipCrypto implements Decryptor {
  readonly before = ZIPCRYPTO_HEADER_BYTES;
  readonly after = 0;
  readonly #checkByte: number;
  #keys: [number, number, number] = [0x12345678, 0x23456789, 0x34567890];

  constructor(password: Uint8Array, checkByte: number) {
    this.#checkByte = checkByte;
    for (const byte of password) this.#update(byte);
  }

  start(header: Uint8Array): void {
    if (this.decrypt(header).at(-1) !== this.#checkByte) throw wrongPassword();
  }

  decrypt(bytes: Uint8Array): Uint8Array {
    return bytes.map((byte) => {
      const word = (this.#keys[2] & 0xffff) | 2;
      const plain = byte ^ ((Math.imul(word, word ^ 1) >>> 8) & 255);
      this.#update(plain);
      return plain;
    });
  }

  end(): void {}

  #update(byte: number): void {
    const [first, second, third] = this.#keys;
    const one = crcOf(first, byte);
    const two = (Math.imul(second + (one & 255), 134_775_813) + 1) >>> 0;
    this.#keys = [one, two, crcOf(third, two >>> 24)];
  }
}

const AES_BLOCK_BYTES = 16;
const ITERATIONS = 1000;
const VERIFIER_BYTES = 2;
const CODE_BYTES = 10;
/** Number of blocks of the key stream that are made at once. */
const BLOCKS_AT_ONCE = 4096;

export class WinZipAes implements Decryptor {
  readonly before: number;
  readonly after = CODE_BYTES;
  readonly #password: Uint8Array;
  readonly #keyBytes: number;
  #cipher: ReturnType<typeof createCipheriv> | undefined;
  #code: ReturnType<typeof createHmac> | undefined;
  #stream: Uint8Array = new Uint8Array(0);
  #used = 0;
  #block = 0;

  /** @throws EngineFailure `damaged` for an unknown length of keys */
  constructor(password: Uint8Array, { strength }: AesForm) {
    if (!(strength >= 1 && strength <= 3)) throw new EngineFailure("damaged", `AES of strength ${strength}`);
    this.#password = password;
    this.#keyBytes = 8 + 8 * strength;
    this.before = this.#keyBytes / 2 + VERIFIER_BYTES;
  }

  start(header: Uint8Array): void {
    const bytes = this.#keyBytes;
    const salt = header.subarray(0, bytes / 2);
    const derived = pbkdf2Sync(this.#password, salt, ITERATIONS, 2 * bytes + VERIFIER_BYTES, "sha1");
    if (!timingSafeEqual(derived.subarray(2 * bytes), header.subarray(bytes / 2))) throw wrongPassword();
    this.#cipher = createCipheriv(`aes-${8 * bytes}-ecb`, derived.subarray(0, bytes), null).setAutoPadding(false);
    this.#code = createHmac("sha1", derived.subarray(bytes, 2 * bytes));
  }

  decrypt(bytes: Uint8Array): Uint8Array {
    this.#code!.update(bytes);
    return bytes.map((byte) => {
      if (this.#used === this.#stream.length) this.#refill();
      return byte ^ this.#stream[this.#used++]!;
    });
  }

  end(trailer: Uint8Array): void {
    if (!timingSafeEqual(this.#code!.digest().subarray(0, CODE_BYTES), trailer)) {
      throw new EngineFailure("damaged", "the authentication code is wrong");
    }
  }

  /** Encrypts the next counters. They are little-endian and start with 1, unlike those of other programs. */
  #refill(): void {
    const counters = Buffer.alloc(BLOCKS_AT_ONCE * AES_BLOCK_BYTES);
    for (let at = 0; at < counters.length; at += AES_BLOCK_BYTES) counters.writeUIntLE(++this.#block, at, 6);
    this.#stream = this.#cipher!.update(counters);
    this.#used = 0;
  }
}

// Derives the ids of files from a seed, so that whoever knows the seed and the number of ids can remove everything that
// was stored under them, even if the process that stored it was killed.

import { createHash } from "node:crypto";
import type { Bucket } from "../ports/bucket.ts";
import { type FileKind, type IdGenerator, idFrom, packedIds } from "./file.ts";
import { packKeyOf } from "./packs.ts";
import { keysOf } from "./standalone-files.ts";

/** Ids that may be used without asking. Most requests need no more. */
export const FIRST_IDS = 8;
const MAX_DELETED_AT_ONCE = 1000;

export class DerivedIds implements IdGenerator {
  readonly #seed: string;
  readonly #reserve: (count: number) => Promise<void>;
  #used = 0;
  #reserved = FIRST_IDS;
  #reserving: Promise<void> = Promise.resolve();

  /**
   * @param seed secret text with at least 122 random bits
   * @param reserve stores durably that that many ids may be in use, or throws
   */
  constructor(seed: string, reserve: (count: number) => Promise<void>) {
    this.#seed = seed;
    this.#reserve = reserve;
  }

  async standalone(kind: FileKind): Promise<string> {
    return idFrom(kind, uuidOf(this.#seed, await this.#next()), false);
  }

  async packed(kind: FileKind, count: number): Promise<string[]> {
    return packedIds(idFrom(kind, uuidOf(this.#seed, await this.#next()), true), kind, count);
  }

  async #next(): Promise<number> {
    const number = this.#used++;
    while (number >= this.#reserved) {
      // Only one of those that need more asks for them.
      const reserving = this.#reserving.then(() => this.#extend(number));
      this.#reserving = reserving.catch(() => {});
      await reserving;
    }
    return number;
  }

  async #extend(number: number): Promise<void> {
    if (number < this.#reserved) return;
    const count = 2 * this.#reserved;
    await this.#reserve(count);
    this.#reserved = count;
  }
}

/** Removes all that may have been stored under the first ids of a seed. */
export async function removeDerived(bucket: Bucket, seed: string, count: number): Promise<void> {
  const keys = Array.from({ length: count }, (_, number) => keysFrom(uuidOf(seed, number))).flat();
  for (let at = 0; at < keys.length; at += MAX_DELETED_AT_ONCE) {
    await bucket.delete(keys.slice(at, at + MAX_DELETED_AT_ONCE));
  }
}

const keysFrom = (uuid: string): string[] =>
  (["input", "output"] as const).flatMap((kind) => [
    ...keysOf(idFrom(kind, uuid, false)),
    packKeyOf(idFrom(kind, uuid, true)),
  ]);

/** Returns a UUID of version 4 whose bits are a digest. */
export function uuidOf(seed: string, number: number): string {
  const bytes = createHash("sha256").update(`${seed}/${number}`).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

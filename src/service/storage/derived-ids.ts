// Derives file IDs from a seed. Anyone who has the seed and the number of IDs can delete all files stored under these
// IDs, even if the process that stored them was killed.

import { createHash } from "node:crypto";
import type { Bucket } from "../ports/bucket.ts";
import { withTag } from "../regions/id-tag.ts";
import { type FileKind, type IdGenerator, idFrom, packedIds } from "./file.ts";
import { packKeyOf } from "./packs.ts";
import { keysOf } from "./standalone-files.ts";

/** Number of IDs that can be used without a reservation. It suffices for most requests. */
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
   * @param reserve durably records that up to `count` IDs might be in use; throws if it cannot
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
      // Concurrent callers share one reservation.
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

/**
 * Deletes all files that might have been stored under the first `count` IDs of a seed.
 * @param tag tag of the region in the IDs
 */
export async function removeDerived(bucket: Bucket, seed: string, count: number, tag?: string): Promise<void> {
  const keys = Array.from({ length: count }, (_, number) => keysFrom(uuidOf(seed, number), tag)).flat();
  for (let at = 0; at < keys.length; at += MAX_DELETED_AT_ONCE) {
    await bucket.delete(keys.slice(at, at + MAX_DELETED_AT_ONCE));
  }
}

const keysFrom = (uuid: string, tag: string | undefined): string[] =>
  (["input", "output"] as const).flatMap((kind) => [
    ...keysOf(withTag(idFrom(kind, uuid, false), tag)),
    packKeyOf(idFrom(kind, uuid, true)),
  ]);

/** Returns a version 4 UUID. Instead of random bits, it contains a digest of seed and number. */
export function uuidOf(seed: string, number: number): string {
  const bytes = createHash("sha256").update(`${seed}/${number}`).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

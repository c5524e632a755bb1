// Checks the storage by writing, reading and deleting an object.

import { LIMITS } from "../../document/contract/limits.ts";
import { delay } from "../../runtime/delay.ts";
import { withTimeout } from "../../runtime/rpc.ts";
import type { Bucket } from "../ports/bucket.ts";

/** Prefix of the probe objects, which are deleted immediately. */
const PREFIX = "ready/";
/** Time for which a probe result is valid. */
const PROBE_TTL_MS = 10_000;
const LOOK_EVERY_MS = 20;
const CONTENT = new TextEncoder().encode("ready");

/** Probes the storage. Caches and shares results, so that frequent checks cause few writes. */
export class StorageProbe {
  #last: { readonly at: number; readonly failure: string | undefined } | undefined;
  /** Start time of the running probe. */
  #begun: number | undefined;

  /** @returns a message for the operator if the storage does not work; undefined if it works */
  async failure(bucket: Bucket): Promise<string | undefined> {
    const now = Date.now();
    if (this.#last && now - this.#last.at < PROBE_TTL_MS) return this.#last.failure;
    // Another request is probing. In a Worker, a request cannot await a promise of another request, so it polls the
    // result.
    if (this.#begun !== undefined && now - this.#begun < LIMITS.readyMs) return this.#failureOfOther(this.#begun);
    this.#begun = now;
    let failure: string | undefined;
    try {
      failure = await withTimeout(LIMITS.readyMs, () => probe(bucket));
    } catch {
      failure = "The storage does not answer.";
    }
    this.#last = { at: Date.now(), failure };
    this.#begun = undefined;
    return failure;
  }

  async #failureOfOther(startedAt: number): Promise<string | undefined> {
    while (this.#begun === startedAt && Date.now() - startedAt < LIMITS.readyMs) await delay(LOOK_EVERY_MS);
    return this.#begun === startedAt ? "The storage does not answer." : this.#last?.failure;
  }
}

async function probe(bucket: Bucket): Promise<string | undefined> {
  const key = `${PREFIX}${crypto.randomUUID()}`;
  try {
    await bucket.put(key, CONTENT);
  } catch {
    return "The storage cannot be written.";
  }
  const read = await bucket.get(key);
  const bytes = await read?.bytes();
  await bucket.delete(key);
  const isSame = bytes?.length === CONTENT.length && bytes.every((byte, index) => byte === CONTENT[index]);
  return isSame ? undefined : "The storage does not return what was written.";
}

/** Deletes probe objects that aborted probes have not deleted. */
export async function removeProbes(bucket: Bucket): Promise<void> {
  const { objects } = await bucket.list({ prefix: PREFIX });
  const old = objects.filter(({ uploaded }) => Date.now() - uploaded.getTime() > 2 * LIMITS.readyMs);
  if (old.length > 0) await bucket.delete(old.map(({ key }) => key));
}

// Counts the files of a request against its client's storage limit.

import type { Limiter, Limits } from "../../ports/limiter.ts";
import type { Storing } from "../../storage/stored-bytes.ts";
import { busy } from "../contract/errors.ts";
import { refusal } from "./rate-limit.ts";

export interface StoringClient {
  readonly client: string;
  readonly limits?: Limits | undefined;
  readonly limiter?: Limiter | undefined;
  waitUntil(work: Promise<unknown>): void;
  log(message: string, details: Record<string, unknown>): void;
}

/**
 * Returns the counter for a client's files; undefined without a storage limit. The counter throws 429 and 503.
 * @param expires returns the expiry of a file stored now, in milliseconds since 1970; undefined if it never expires
 */
export function storingOf(
  { client, limits = {}, limiter, waitUntil, log }: StoringClient,
  expires: () => number | undefined,
): Storing | undefined {
  const { storedMegabytes } = limits;
  if (storedMegabytes === undefined || limiter === undefined) return undefined;
  const failed = (error: unknown) => {
    log("limiter unavailable", { error: String(error) });
    return undefined;
  };
  return {
    async count(bytes) {
      const verdict = await limiter.store(client, storedMegabytes, { bytes, expires: expires() }).catch(failed);
      if (verdict === undefined) throw busy();
      const { rejected } = verdict;
      if (rejected) throw refusal(limits, { ...verdict, rejected });
    },
    giveBack: (bytes) => waitUntil(limiter.giveBack(client, { bytes, expires: expires() }).catch(failed)),
  };
}

// Counts what a request stores against the limit of its client.

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
 * Returns what counts the files of a client; undefined if it has no limit of them. Its errors are 429 and 503.
 * @param expires returns the time at which a file ends that is stored now, in milliseconds; undefined if it stays
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

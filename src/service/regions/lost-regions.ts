// Detects lost regions: a call to a lost region fails within a limited time, and new requests avoid the region.

import { LIMITS } from "../../document/contract/limits.ts";
import { withTimeout } from "../../runtime/rpc.ts";
import type { Bucket, MultipartUpload } from "../ports/bucket.ts";
import { RegionLost } from "./region-errors.ts";
import type { Region } from "./regions.ts";

/** Times, by region, until which new requests avoid the region. */
const lostUntil = new Map<string, number>();

export const isLost = ({ name }: Region): boolean => (lostUntil.get(name) ?? 0) > Date.now();

/** Records that a region is unreachable, and returns the error. */
export function lost(region: Region, cause: unknown): RegionLost {
  lostUntil.set(region.name, Date.now() + LIMITS.regionLostMs);
  return new RegionLost(region.name, cause);
}

const OPERATIONS = ["head", "get", "put", "delete", "list", "createMultipartUpload"] as const;
const UPLOAD_OPERATIONS = ["uploadPart", "complete", "abort"] as const;

/** Returns a bucket whose operations throw RegionLost if they fail, or take too long. */
export function guarded(bucket: Bucket, region: Region, limitMs: number): Bucket {
  type Operation = (...given: unknown[]) => Promise<unknown>;
  const guard = <T extends object>(target: T, names: readonly (keyof T)[]): T =>
    Object.fromEntries(
      names.map((name) => [
        name,
        async (...given: unknown[]) => {
          const work = () => (target[name] as Operation).apply(target, given);
          const result = await withTimeout(limitMs, work).catch((error) => Promise.reject(lost(region, error)));
          return name === "createMultipartUpload" ? upload(result as MultipartUpload) : result;
        },
      ]),
    ) as T;
  const upload = (made: MultipartUpload): MultipartUpload => ({
    ...guard(made, UPLOAD_OPERATIONS),
    uploadId: made.uploadId,
  });
  return {
    ...guard(bucket, OPERATIONS),
    resumeMultipartUpload: (key, uploadId) => upload(bucket.resumeMultipartUpload(key, uploadId)),
  };
}

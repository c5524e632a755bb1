// Detects lost regions in calls to their buckets.

import type { Bucket, MultipartUpload } from "../ports/bucket.ts";
import { callRegion } from "./lost-regions.ts";
import type { Region } from "./regions.ts";

const OPERATIONS = ["head", "get", "put", "delete", "list", "createMultipartUpload"] as const;
const UPLOAD_OPERATIONS = ["uploadPart", "complete", "abort"] as const;
/** Key of an object that does not exist. */
const PROBE = "probe";

/** Returns a bucket whose operations throw RegionLost if the region is unreachable. */
export function guarded(bucket: Bucket, region: Region): Bucket {
  type Operation = (...given: unknown[]) => Promise<unknown>;
  const guard = <T extends object>(target: T, names: readonly (keyof T)[]): T =>
    Object.fromEntries(
      names.map((name) => [
        name,
        async (...given: unknown[]) => {
          const call = () => (target[name] as Operation).apply(target, given);
          const result = await callRegion(region, call, () => bucket.head(PROBE));
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
